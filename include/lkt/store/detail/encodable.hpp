// SPDX-License-Identifier: BSL-1.0
// Which types have a form as bytes, and what they are to a codec.
#pragma once

#include <lkt/core/fields.hpp>
#include <lkt/core/type_name.hpp>
#include <lkt/store/bytes.hpp>
#include <lkt/store/detail/members.hpp>
#include <lkt/store/value_codec.hpp>

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace lkt::detail {

template <class T>
concept has_codec = requires(byte_writer& w, byte_reader& r, T& to, T const& from) {
    value_codec<T>::write(w, from);
    value_codec<T>::read(r, to);
    { value_codec<T>::shape() } -> std::convertible_to<std::uint64_t>;
};

/// Without scopes. (`name_of` would take a data member `name` for the type's own.)
template <class T>
inline constexpr std::string_view label_of = unqualified(qualified_name_of<T>);

template <class T>
inline constexpr bool is_duration = false;
template <class Rep, class Period>
inline constexpr bool is_duration<std::chrono::duration<Rep, Period>> = true;

template <class T>
inline constexpr bool is_variant = false;
template <class... Ts>
inline constexpr bool is_variant<std::variant<Ts...>> = true;

template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;

template <class T>
concept optional_like = requires(T& t) {
    typename T::value_type;
    { t.has_value() } -> std::same_as<bool>;
    t.emplace();
    t.reset();
};

/// An element as it is read: of a map a pair that can be written to.
template <class V>
struct element {
    using type = V;
};
template <class K, class V>
struct element<std::pair<K const, V>> {
    using type = std::pair<K, V>;
};

template <class T>
using element_of = typename element<typename T::value_type>::type;

template <class T>
concept container = requires(T& t, element_of<T> e) {
    t.clear();
    t.insert(t.end(), std::move(e));
    t.begin();
};

template <class T>
concept tuple_like = requires { std::tuple_size<T>::value; } && !is_std_array<T>;

template <class T>
concept plain_struct = std::is_aggregate_v<T> && std::is_class_v<T> && !std::is_union_v<T>;

/// A type that is being looked at, and those that it is a part of: a tree holds trees.
struct open_type {
    void const* mark;
    open_type const* outer;
};
template <class T>
inline constexpr char mark_of = 0;
template <class T>
inline constexpr void const* type_mark = &mark_of<T>;
constexpr bool is_open(void const* mark, open_type const* open) {
    for (; open != nullptr; open = open->outer)
        if (open->mark == mark) return true;
    return false;
}

template <class S, class Fields>
struct listed_types;
template <class S, auto... Members>
struct listed_types<S, fields<Members...>> {
    using type = type_list<std::remove_cvref_t<decltype(std::declval<S&>().*Members)>...>;
};

template <class Member>
struct class_of_member;
template <class T, class C>
struct class_of_member<T C::*> {
    using type = C;
};

/// There is more in S than in its base (which may fit into the padding of that).
template <class S, class Base>
inline constexpr bool adds_members =
    sizeof(Base) != sizeof(S) || requires(Base base, anything more) { S{base, more}; };

/// The list is of a base alone, and S has members of its own.
template <class S, class Fields>
inline constexpr bool lists_base_only = false;
template <class S, auto First, auto... Rest>
inline constexpr bool lists_base_only<S, fields<First, Rest...>> = [] {
    using base = typename class_of_member<decltype(First)>::type;
    return !std::is_same_v<base, S> && adds_members<S, base> &&
           (std::is_same_v<typename class_of_member<decltype(Rest)>::type, base> && ...);
}();

template <class S>
inline constexpr bool lists_own_members = [] {
    if constexpr (described<S>)
        return !lists_base_only<S, typename S::state_fields>;
    else
        return false;
}();

template <class Member, class Fields>
inline constexpr bool lists_member = false;
template <class Member, auto... Listed>
inline constexpr bool lists_member<Member, fields<Listed...>> =
    (std::is_same_v<Member, field<Listed>> || ...);

template <class Needed, class Fields>
inline constexpr bool lists_all = true;
template <auto... Needed, class Fields>
inline constexpr bool lists_all<fields<Needed...>, Fields> =
    (lists_member<field<Needed>, Fields> && ...);

/// The list has what a base says that each State derived from it must list (`base_fields`).
template <class S>
inline constexpr bool lists_base_members = [] {
    if constexpr (described<S> && requires { typename S::base_fields; })
        return lists_all<typename S::base_fields, typename S::state_fields>;
    else
        return true;
}();

/// Whether T has a form as bytes, as a part of the types in `open`. Once for each type, wherever it
/// occurs.
template <class T>
constexpr bool can_encode(open_type const* open = nullptr) {
    if constexpr (has_codec<T> || std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                  std::is_same_v<T, std::string> || is_duration<T>) {
        return true;
    } else if constexpr (!std::is_default_constructible_v<T> && !plain_struct<T>) {
        return false;
    } else if constexpr (is_std_array<T> || optional_like<T>) {
        return can_encode<typename T::value_type>(open);
    } else if constexpr (is_variant<T>) {
        return [&]<class... Ts>(std::type_identity<std::variant<Ts...>>) {
            return (can_encode<Ts>(open) && ...);
        }(std::type_identity<T>{});
    } else if constexpr (container<T>) {
        return can_encode<element_of<T>>(open);
    } else if constexpr (tuple_like<T>) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return (can_encode<std::tuple_element_t<I, T>>(open) && ...);
        }(std::make_index_sequence<std::tuple_size_v<T>>{});
    } else if constexpr (described<T> || plain_struct<T>) {
        if (is_open(type_mark<T>, open)) return true;
        open_type const here{type_mark<T>, open};
        auto const all = [&]<class... Ts>(type_list<Ts...>) {
            return (can_encode<Ts>(&here) && ...);
        };
        if constexpr (described<T>)
            return lists_own_members<T> && lists_base_members<T> &&
                   all(typename listed_types<T, typename T::state_fields>::type{});
        else if constexpr (member_count<T> <= max_members)
            return all(member_types<T>{});
        else
            return false;
    } else {
        return false;
    }
}

} // namespace lkt::detail
