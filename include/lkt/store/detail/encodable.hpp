// SPDX-License-Identifier: BSL-1.0
// Which types have a form as bytes, and what they are to a codec.
#pragma once

#include <lkt/core/fields.hpp>
#include <lkt/core/type_name.hpp>
#include <lkt/store/bytes.hpp>
#include <lkt/store/value_codec.hpp>

#include <array>
#include <boost/pfr/core.hpp>
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

template <class T, class... Open>
constexpr bool can_encode();

template <class Fields, class... Open>
struct can_encode_fields;
template <class... Ts, class... Open>
struct can_encode_fields<std::tuple<Ts...>, Open...>
    : std::bool_constant<(can_encode<std::remove_cvref_t<Ts>, Open...>() && ...)> {};

template <class S, class Fields>
struct listed_types;
template <class S, auto... Members>
struct listed_types<S, fields<Members...>> {
    using type = std::tuple<std::remove_cvref_t<decltype(std::declval<S&>().*Members)>...>;
};

template <class Member>
struct class_of_member;
template <class T, class C>
struct class_of_member<T C::*> {
    using type = C;
};

/// Stands for any value.
struct anything {
    template <class T>
    operator T() const; // declared only
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

template <class T>
using pfr_types = decltype(boost::pfr::structure_to_tuple(std::declval<T const&>()));

/// Whether T has a form as bytes; the types in `Open` are being looked at.
template <class T, class... Open>
constexpr bool can_encode() {
    if constexpr ((std::is_same_v<T, Open> || ...)) {
        return true;
    } else if constexpr (has_codec<T> || std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                         std::is_same_v<T, std::string> || is_duration<T>) {
        return true;
    } else if constexpr (!std::is_default_constructible_v<T> && !plain_struct<T>) {
        return false;
    } else if constexpr (is_std_array<T> || optional_like<T>) {
        return can_encode<typename T::value_type, Open...>();
    } else if constexpr (is_variant<T>) {
        return []<class... Ts>(std::type_identity<std::variant<Ts...>>) {
            return (can_encode<Ts, Open...>() && ...);
        }(std::type_identity<T>{});
    } else if constexpr (container<T>) {
        return can_encode<element_of<T>, Open...>();
    } else if constexpr (tuple_like<T>) {
        return []<std::size_t... I>(std::index_sequence<I...>) {
            return (can_encode<std::tuple_element_t<I, T>, Open...>() && ...);
        }(std::make_index_sequence<std::tuple_size_v<T>>{});
    } else if constexpr (described<T>) {
        return lists_own_members<T> &&
               can_encode_fields<typename listed_types<T, typename T::state_fields>::type,
                                 T,
                                 Open...>::value;
    } else if constexpr (plain_struct<T>) {
        return can_encode_fields<pfr_types<T>, T, Open...>::value;
    } else {
        return false;
    }
}

} // namespace lkt::detail
