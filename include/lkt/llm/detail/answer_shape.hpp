// SPDX-License-Identifier: BSL-1.0
// What an answer looks like, as data that is computed at compile time and walked at run time: one
// writer of schemas and one reader of JSON serve all types.
#pragma once

#include <lkt/llm/described.hpp>
#include <lkt/llm/detail/answer_types.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace lkt::detail {

enum class shape_kind : unsigned char {
    boolean,
    integer,
    number,
    text,
    choice,      ///< one of the names
    optional,    ///< null, or the element
    list,        ///< any number of elements
    array,       ///< `extent` elements
    map,         ///< texts to elements
    object,      ///< the members
    alternative, ///< one of the objects, told by its member `kind`
};

/// A scalar on its way into a value of any type.
struct stored_scalar {
    std::uint64_t bits = 0; ///< of a whole number in two's complement, or the index of a choice
    double number = 0;
};

/// Fills an element that a container has made.
struct element_reader {
    void (*read)(void* closure, void* element);
    void* closure;
    void operator()(void* element) const { read(closure, element); }
};

/// Where an element goes: the index in an array and of an alternative, the key in a map.
struct element_place {
    std::size_t index = 0;
    std::string_view key = {};
};

struct answer_member;

/// A type. What a kind does not use is empty.
struct answer_shape {
    shape_kind kind;
    std::string_view name = {};  ///< of a struct
    std::string_view about = {}; ///< of a struct
    std::int64_t min = 0;        ///< of an integer
    std::uint64_t max = 0;       ///< of an integer
    double largest = 0;          ///< of a number
    std::span<std::string_view const> names = {};
    answer_shape const* element = nullptr;
    std::size_t extent = 0;
    std::span<answer_member const> members = {};
    std::span<answer_shape const* const> alternatives = {};
    void (*store)(void* target, stored_scalar value) = nullptr; ///< integer, number, choice
    /// Makes an element, has it read and puts it in its place; of `optional` and the lists too.
    void (*add)(void* target, element_place where, element_reader read) = nullptr;
};

struct answer_member {
    std::string_view name;
    answer_note note;
    answer_shape const* shape;
    void* (*at)(void* object);
};

/// A name as an answer spells it: C++ cannot call a member `default`, so `default_` means that.
constexpr std::string_view spelled(std::string_view name) {
    if (name.size() > 1 && name.ends_with('_')) name.remove_suffix(1);
    return name;
}

template <class T>
constexpr answer_shape make_shape();
template <class T>
inline constexpr answer_shape answer_shape_of = make_shape<T>();

// Enums.

template <class E>
struct choice_table {
    static constexpr auto count = [] {
        if constexpr (has_enum_names<E>)
            return enum_names<E>.size();
        else
            return static_cast<std::size_t>(enumerators<E>::count);
    }();
    static constexpr auto all = [] {
        std::array<named<E>, count> table{};
        for (std::size_t i = 0; i < count; ++i) {
            if constexpr (has_enum_names<E>)
                table[i] = enum_names<E>[i];
            else
                table[i] = {static_cast<E>(enumerators<E>::values[i]),
                            spelled(enumerators<E>::names[i])};
        }
        return table;
    }();
    static constexpr auto names = [] {
        std::array<std::string_view, count> table{};
        for (std::size_t i = 0; i < count; ++i) table[i] = all[i].name;
        return table;
    }();
};

// Structs.

template <class List, auto Member>
struct note_of;
template <auto... Noted, auto Member>
struct note_of<note_list<Noted...>, Member> {
    static constexpr answer_note in(note_list<Noted...> const& list) {
        answer_note found{};
        std::size_t i = 0;
        ((std::is_same_v<field<Noted>, field<Member>> ? void(found = list.each[i]) : void(), ++i),
         ...);
        return found;
    }
};

template <class T, auto Member>
constexpr answer_member make_member() {
    answer_member member{};
    member.name = spelled(field<Member>::name);
    if constexpr (requires { T::notes.about; })
        member.note = note_of<std::remove_const_t<decltype(T::notes)>, Member>::in(T::notes);
    member.shape = &answer_shape_of<member_type<Member>>;
    member.at = [](void* object) -> void* { return &(static_cast<T*>(object)->*Member); };
    return member;
}

template <class T, class Fields>
struct member_table;
template <class T, auto... Members>
struct member_table<T, fields<Members...>> {
    static constexpr std::array<answer_member, sizeof...(Members)> all{
        make_member<T, Members>()...};
};

template <class V>
struct alternative_table;
template <class... Ts>
struct alternative_table<std::variant<Ts...>> {
    static constexpr std::array<answer_shape const*, sizeof...(Ts)> all{&answer_shape_of<Ts>...};

    static void add(void* target, element_place where, element_reader read) {
        emplace(*static_cast<std::variant<Ts...>*>(target),
                where.index,
                read,
                std::index_sequence_for<Ts...>{});
    }
    template <std::size_t... I>
    static void emplace(std::variant<Ts...>& target,
                        std::size_t index,
                        element_reader read,
                        std::index_sequence<I...>) {
        ((index == I ? read(&target.template emplace<I>()) : void()), ...);
    }
};

// Any type; `answer_fault_of` has said that it is one.

template <class T>
constexpr answer_shape make_scalar() {
    if constexpr (std::is_same_v<T, bool>) {
        return {.kind = shape_kind::boolean};
    } else if constexpr (std::is_same_v<T, std::string>) {
        return {.kind = shape_kind::text};
    } else if constexpr (std::is_integral_v<T>) {
        return {.kind = shape_kind::integer,
                .min = std::numeric_limits<T>::min(),
                .max = static_cast<std::uint64_t>(std::numeric_limits<T>::max()),
                .store = [](void* target, stored_scalar v) {
                    *static_cast<T*>(target) = static_cast<T>(v.bits);
                }};
    } else if constexpr (std::is_floating_point_v<T>) {
        return {.kind = shape_kind::number,
                .largest = static_cast<double>(std::numeric_limits<T>::max()),
                .store = [](void* target, stored_scalar v) {
                    *static_cast<T*>(target) = static_cast<T>(v.number);
                }};
    } else {
        return {.kind = shape_kind::choice,
                .names = choice_table<T>::names,
                .store = [](void* target, stored_scalar v) {
                    *static_cast<T*>(target) = choice_table<T>::all[v.bits].value;
                }};
    }
}

template <class T>
constexpr answer_shape make_container() {
    using E = typename answer_container<T>::element;
    answer_shape made{.kind = shape_kind::list, .element = &answer_shape_of<E>};
    if constexpr (answer_container<T>::is == container_kind::optional) {
        made.kind = shape_kind::optional;
        made.add = [](void* target, element_place, element_reader read) {
            read(&static_cast<T*>(target)->emplace());
        };
    } else if constexpr (answer_container<T>::is == container_kind::vector) {
        made.add = [](void* target, element_place, element_reader read) {
            E element{}; // and not a place in the list, of which std::vector<bool> has none
            read(&element);
            static_cast<T*>(target)->push_back(std::move(element));
        };
    } else if constexpr (answer_container<T>::is == container_kind::array) {
        made.kind = shape_kind::array;
        made.extent = std::tuple_size_v<T>;
        made.add = [](void* target, element_place where, element_reader read) {
            read(&(*static_cast<T*>(target))[where.index]);
        };
    } else {
        made.kind = shape_kind::map;
        made.add = [](void* target, element_place where, element_reader read) {
            read(&(*static_cast<T*>(target))[std::string(where.key)]);
        };
    }
    return made;
}

template <class T>
constexpr answer_shape make_shape() {
    if constexpr (described<T>) {
        answer_shape made{.kind = shape_kind::object,
                          .name = struct_name<T>,
                          .members = member_table<T, typename T::state_fields>::all};
        if constexpr (requires { T::notes.about; }) made.about = T::notes.about;
        return made;
    } else if constexpr (answer_container<T>::is == container_kind::variant) {
        return {.kind = shape_kind::alternative,
                .alternatives = alternative_table<T>::all,
                .add = &alternative_table<T>::add};
    } else if constexpr (answer_container<T>::is != container_kind::none) {
        return make_container<T>();
    } else {
        return make_scalar<T>();
    }
}

} // namespace lkt::detail
