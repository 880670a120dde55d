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

template <int I, class... Ts>
using pick = typename decltype(type_at<I>(
    static_cast<indexed_pack<std::make_integer_sequence<int, static_cast<int>(sizeof...(Ts))>,
                             Ts...> const*>(nullptr)))::type;

} // namespace lkt::detail
