// SPDX-License-Identifier: BSL-1.0
// Which types an answer can have; the verdict on a type is a value first.
#pragma once

#include <lkt/core/type_name.hpp>
#include <lkt/llm/described.hpp>
#include <lkt/llm/detail/answer_diagnostics.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace lkt {

namespace detail {

template <class Pointer>
struct pointed_member;
template <class T, class S>
struct pointed_member<T S::*> {
    using type = T;
};
template <auto Member>
using member_type = typename pointed_member<decltype(Member)>::type;

/// The struct's name without scopes; `name_of` would take a member called `name` for it.
template <class T>
inline constexpr std::string_view struct_name = unqualified(qualified_name_of<T>);

template <class E>
inline constexpr bool has_enum_names =
    !std::is_same_v<decltype(enum_names<E>), std::nullptr_t const>;

enum class container_kind : unsigned char { none, optional, vector, array, map, variant };

template <class T>
struct answer_container {
    static constexpr auto is = container_kind::none;
};
template <class T>
struct answer_container<std::optional<T>> {
    static constexpr auto is = container_kind::optional;
    using element = T;
};
template <class T, class A>
struct answer_container<std::vector<T, A>> {
    static constexpr auto is = container_kind::vector;
    using element = T;
};
template <class T, std::size_t N>
struct answer_container<std::array<T, N>> {
    static constexpr auto is = container_kind::array;
    using element = T;
};
template <class T, class C, class A>
struct answer_container<std::map<std::string, T, C, A>> {
    static constexpr auto is = container_kind::map;
    using element = T;
};
template <class... Ts>
struct answer_container<std::variant<Ts...>> {
    static constexpr auto is = container_kind::variant;
};

/// `char` is a letter to some and a number to others.
template <class T>
inline constexpr bool is_answer_number =
    std::is_same_v<T, float> || std::is_same_v<T, double> ||
    (std::is_integral_v<T> && sizeof(T) <= 8 && !std::is_const_v<T> && !std::is_same_v<T, bool> &&
     !std::is_same_v<T, char> && !std::is_same_v<T, wchar_t> && !std::is_same_v<T, char8_t> &&
     !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>);

/// What a bound is on: the member's type without optionals, and for ranges and lengths without
/// lists too.
template <class T, bool Lists>
constexpr auto bounded_type() {
    constexpr auto is = answer_container<T>::is;
    if constexpr (is == container_kind::optional)
        return bounded_type<typename answer_container<T>::element, Lists>();
    else if constexpr (!Lists && (is == container_kind::vector || is == container_kind::array ||
                                  is == container_kind::map))
        return bounded_type<typename answer_container<T>::element, Lists>();
    else
        return std::type_identity<T>{};
}
template <class T, bool Lists>
using bounded = typename decltype(bounded_type<T, Lists>())::type;

template <class T>
constexpr bool uses_items() {
    constexpr auto is = answer_container<bounded<T, true>>::is;
    return is == container_kind::vector || is == container_kind::map;
}

/// Whether there are texts: the innermost elements, or the keys of a map on the way.
template <class T>
constexpr bool uses_length() {
    constexpr auto is = answer_container<T>::is;
    if constexpr (is == container_kind::map)
        return true;
    else if constexpr (is == container_kind::none || is == container_kind::variant)
        return std::is_same_v<T, std::string>;
    else
        return uses_length<typename answer_container<T>::element>();
}

template <class Why>
using flaw = std::type_identity<Why>;
using sound = flaw<void>;

template <class T, class... Outer>
constexpr auto fault_in();

template <class T, class... Outer>
constexpr auto fault_in_all(fields<>) {
    return sound{};
}
template <class T, class... Outer, auto First, auto... Rest>
constexpr auto fault_in_all(fields<First, Rest...>) {
    constexpr auto first = fault_in<member_type<First>, Outer..., T>();
    if constexpr (!std::is_same_v<decltype(first), sound const>)
        return first;
    else
        return fault_in_all<T, Outer...>(fields<Rest...>{});
}

template <class T, std::size_t I, auto... Listed>
constexpr auto fault_in_notes(fields<Listed...>, note_list<>) {
    return sound{};
}
template <class T, std::size_t I, auto... Listed, auto First, auto... Rest>
constexpr auto fault_in_notes(fields<Listed...> listed, note_list<First, Rest...>) {
    constexpr answer_note note = T::notes.each[I];
    if constexpr (!(std::is_same_v<field<First>, field<Listed>> || ...))
        return flaw<diagnostic::foreign_note<T, First>>{};
    else if constexpr ((note.has_items && !uses_items<member_type<First>>()) ||
                       (note.has_range && !is_answer_number<bounded<member_type<First>, false>>) ||
                       (note.has_length && !uses_length<member_type<First>>()))
        return flaw<diagnostic::idle_bound<First>>{};
    else if constexpr (note.items.min > note.items.max || note.length.min > note.length.max ||
                       !(note.range.min <= note.range.max))
        return flaw<diagnostic::empty_bound<First>>{};
    else
        return fault_in_notes<T, I + 1>(listed, note_list<Rest...>{});
}

template <class T, class... Outer>
constexpr auto fault_in_struct() {
    if constexpr ((std::is_same_v<T, Outer> || ...)) {
        return flaw<diagnostic::recursive_struct<T>>{};
    } else if constexpr (!std::is_default_constructible_v<T>) {
        return flaw<diagnostic::not_default_constructible<T>>{};
    } else {
        constexpr auto members = fault_in_all<T, Outer...>(typename T::state_fields{});
        if constexpr (!std::is_same_v<decltype(members), sound const>)
            return members;
        else if constexpr (requires { T::notes.about; })
            return fault_in_notes<T, 0>(typename T::state_fields{},
                                        std::remove_const_t<decltype(T::notes)>{});
        else
            return sound{};
    }
}

template <class T>
constexpr bool has_member_kind() {
    bool found = false;
    []<auto... Members>(fields<Members...>, bool& seen) {
        ((seen = seen || pointee_name<Members> == "kind" || pointee_name<Members> == "kind_"), ...);
    }(typename T::state_fields{}, found);
    return found;
}

template <class V, class... Outer>
struct variant_fault;
template <class... Ts, class... Outer>
struct variant_fault<std::variant<Ts...>, Outer...> {
    static constexpr bool clear() {
        if constexpr ((described<Ts> && ...)) {
            std::string_view const names[] = {struct_name<Ts>...};
            for (std::size_t i = 0; i < sizeof...(Ts); ++i)
                for (std::size_t k = 0; k < i; ++k)
                    if (names[i] == names[k]) return false;
            return !(has_member_kind<Ts>() || ...);
        } else {
            return false;
        }
    }
    template <class First, class... Rest>
    static constexpr auto first_of() {
        constexpr auto first = fault_in<First, Outer...>();
        if constexpr (!std::is_same_v<decltype(first), sound const>)
            return first;
        else if constexpr (sizeof...(Rest) > 0)
            return first_of<Rest...>();
        else
            return sound{};
    }
    static constexpr auto find() {
        if constexpr (!clear())
            return flaw<diagnostic::ambiguous_variant<std::variant<Ts...>>>{};
        else
            return first_of<Ts...>();
    }
};

template <class T>
constexpr auto fault_in_enum() {
    if constexpr (has_enum_names<T>) {
        return sound{};
    } else if constexpr (scoped_enum<T>) {
        if constexpr (enumerators<T>::count > 0)
            return sound{};
        else
            return flaw<diagnostic::unnamed_enumerators<T>>{};
    } else {
        return flaw<diagnostic::unnamed_enumerators<T>>{};
    }
}

/// What is wrong with `T` as the type of an answer's part within the structs `Outer`: a defect, or
/// void.
template <class T, class... Outer>
constexpr auto fault_in() {
    constexpr auto is = answer_container<T>::is;
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string> ||
                  is_answer_number<T>) {
        return sound{};
    } else if constexpr (std::is_enum_v<T> && !std::is_const_v<T>) {
        return fault_in_enum<T>();
    } else if constexpr (is == container_kind::variant) {
        return variant_fault<T, Outer...>::find();
    } else if constexpr (is != container_kind::none) {
        using E = typename answer_container<T>::element;
        // Null would be both an empty optional and an optional that holds one.
        if constexpr (is == container_kind::optional &&
                      answer_container<E>::is == container_kind::optional)
            return flaw<diagnostic::no_answer_type<T>>{};
        else
            return fault_in<E, Outer...>();
    } else if constexpr (described<T> && !std::is_const_v<T>) {
        return fault_in_struct<T, Outer...>();
    } else if constexpr (std::is_class_v<T> && std::is_aggregate_v<T>) {
        return flaw<diagnostic::undescribed_struct<T>>{};
    } else {
        return flaw<diagnostic::no_answer_type<T>>{};
    }
}

/// The defect of `T`, which does not compile when it is looked into, or void.
template <class T>
using answer_defect = typename decltype(fault_in<T>())::type;

} // namespace detail

/// A type that a part of an answer can have.
template <class T>
concept answer_part = std::is_void_v<detail::answer_defect<T>>;

/// What a model can be asked for: a struct that lists its members, all of them of such types.
template <class T>
concept answer_struct = described<T> && answer_part<T>;

namespace detail {

template <class T, bool Struct>
inline constexpr bool is_answer = answer_part<T> && (!Struct || described<T>);

/// Names the most fundamental defect of what is no answer. The caller does nothing else then, so
/// that the compiler has nothing else to say.
template <class T>
void refuse_answer() {
    if constexpr (!answer_part<T>)
        static_cast<void>(sizeof(answer_defect<T>));
    else
        static_cast<void>(sizeof(diagnostic::answer_is_no_object<T>));
}

} // namespace detail

} // namespace lkt
