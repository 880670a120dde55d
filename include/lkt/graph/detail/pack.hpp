// SPDX-License-Identifier: BSL-1.0
// Type packs by index, cheaper for the compiler than `std::tuple_element` over 64 types.
#pragma once

#include <type_traits>
#include <utility>

namespace lkt::detail {

template <class... Ts>
struct pack {};

template <int I, class T>
struct indexed {};

template <class Indices, class... Ts>
struct indexed_pack;
template <int... I, class... Ts>
struct indexed_pack<std::integer_sequence<int, I...>, Ts...> : indexed<I, Ts>... {};

template <int I, class T>
std::type_identity<T> type_at(indexed<I, T> const*); // never called

template <class T, int I>
std::integral_constant<int, I> index_at(indexed<I, T> const*); // never called

template <class... Ts>
using index_map =
    indexed_pack<std::make_integer_sequence<int, static_cast<int>(sizeof...(Ts))>, Ts...>;

template <int I, class... Ts>
using pick = typename decltype(type_at<I>(static_cast<index_map<Ts...> const*>(nullptr)))::type;

/// The index of the first T among the types, -1 when there is none. Overload resolution finds a
/// type that is there once, which is the common case, without looking at each.
///
/// (Comparing addresses of one variable a type would be simpler, but is no constant expression for
/// g++ under -fsanitize=undefined.)
template <class T, class... Ts>
constexpr int first_index() {
    if constexpr (requires(index_map<Ts...> const* map) { index_at<T>(map); }) {
        return decltype(index_at<T>(static_cast<index_map<Ts...> const*>(nullptr)))::value;
    } else {
        int at = 0;
        bool const found = ((std::is_same_v<T, Ts> || (++at, false)) || ...);
        return found ? at : -1;
    }
}

} // namespace lkt::detail
