// SPDX-License-Identifier: BSL-1.0
// What a node may return: `void`, a scoped enum or a `std::variant` of empty tags, each possibly
// inside `result<>`. An outcome only names the edge that is taken; data goes into the state.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/type_name.hpp>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace lkt {

namespace detail {

template <class R>
struct unwrap_result {
    using type = R;
    static constexpr bool fallible = false;
};
template <class T>
struct unwrap_result<result<T>> {
    using type = T;
    static constexpr bool fallible = true;
};

} // namespace detail

/// `T` for `result<T>`, else the type itself.
template <class R>
using outcome_part = typename detail::unwrap_result<R>::type;

/// True when the return type can carry a failure of the world.
template <class R>
inline constexpr bool is_fallible = detail::unwrap_result<R>::fallible;

/// The values of an outcome type, numbered from 0: their count and names. The primary template is
/// for types that are not outcomes, because they would carry data.
template <class Outcome>
struct outcome_values {
    static constexpr bool valid = false;
    static constexpr int count = 0;
    static constexpr std::array<std::string_view, 0> names{};
};

template <>
struct outcome_values<void> {
    static constexpr bool valid = true;
    static constexpr int count = 1;
    static constexpr std::array<std::string_view, 1> names{""};
};

template <scoped_enum E>
struct outcome_values<E> {
    static constexpr bool valid = true;
    static constexpr int count = enumerators<E>::count;
    static constexpr auto names = enumerators<E>::names;
    /// Position of the value among the enumerators, -1 for an unknown one.
    [[nodiscard]] static constexpr int index(E value) {
        return enumerators<E>::index(static_cast<long long>(value));
    }
};

template <class... Tags>
struct outcome_values<std::variant<Tags...>> {
    static constexpr bool valid = (std::is_empty_v<Tags> && ...);
    static constexpr int count = sizeof...(Tags);
    static constexpr std::array<std::string_view, sizeof...(Tags)> names{name_of<Tags>...};
    [[nodiscard]] static constexpr int index(std::variant<Tags...> const& value) {
        return value.valueless_by_exception() ? -1 : static_cast<int>(value.index());
    }
};

/// A type that a node may return, without its `result<>`.
template <class O>
concept outcome_type = outcome_values<O>::valid;

/// The name of an outcome's value: the enumerator, or the tag that a variant holds.
template <outcome_type O>
[[nodiscard]] constexpr std::string_view outcome_name(O const& value) {
    int const at = outcome_values<O>::index(value);
    return at < 0 ? std::string_view("unknown") : outcome_values<O>::names[std::size_t(at)];
}

/// Thrown when a node returns a value that its outcome type does not name: a bug in the node.
struct unknown_outcome : std::logic_error {
    explicit unknown_outcome(std::string_view node)
        : std::logic_error("[lkt.graph.unknown-outcome] " + std::string(node) +
                           " returned a value that is not an enumerator of its outcome type") {}
};

} // namespace lkt
