// SPDX-License-Identifier: BSL-1.0
// The members of an aggregate: how many, of which types, and a call with all of them. Instantiates
// a few templates for each type, where a tuple of the members would take some for each member.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace lkt::detail {

/// Types, of which none is made.
template <class... Ts>
struct type_list {};

/// Stands for any value.
struct anything {
    template <class T>
    operator T() const; // declared only
};

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
    return requires(anything any) { T{(static_cast<void>(I), any)...}; };
}
/// T can be made of `Count` values: it has at least as many members.
template <class T, std::size_t Count>
inline constexpr bool takes_values = takes<T>(std::make_index_sequence<Count>{});

inline constexpr std::size_t max_members = 26; ///< that are listed

/// Between a number of members that T has and one that it has not.
template <class T, std::size_t Has, std::size_t HasNot>
constexpr std::size_t members_between() {
    if constexpr (Has + 1 == HasNot)
        return Has;
    else if constexpr (constexpr auto middle = Has + (HasNot - Has) / 2; takes_values<T, middle>)
        return members_between<T, middle, HasNot>();
    else
        return members_between<T, Has, middle>();
}
template <class T, std::size_t Has = 0>
constexpr std::size_t count_upwards() {
    constexpr auto more = Has == 0 ? std::size_t{1} : 2 * Has;
    if constexpr (Has > max_members)
        return Has; // too many
    else if constexpr (takes_values<T, more>)
        return count_upwards<T, more>();
    else
        return members_between<T, Has, more>();
}
/// Of a type that cannot be made of fewer values.
template <class T, std::size_t Most>
constexpr std::size_t count_downwards() {
    if constexpr (Most == 0 || takes_values<T, Most>)
        return Most;
    else
        return count_downwards<T, Most - 1>();
}

/// How many members an aggregate has that has no base, no array in C's way and no reference.
template <class T>
inline constexpr std::size_t member_count = [] {
    if constexpr (std::is_empty_v<T>)
        return std::size_t{0};
    else if constexpr (requires { T{}; })
        return count_upwards<T>();
    else
        return count_downwards<T, sizeof(T) < max_members ? sizeof(T) : max_members + 1>();
}();

/// `call(members...)`, with what it returns, for `member_count` up to `max_members`.
template <class T, class Call>
constexpr auto with_members(T& value, Call&& call) {
    constexpr auto count = member_count<std::remove_const_t<T>>;
    if constexpr (count == 0) {
        return call();
    } else if constexpr (count == 1) {
        auto& [a] = value;
        return call(a);
    } else if constexpr (count == 2) {
        auto& [a, b] = value;
        return call(a, b);
    } else if constexpr (count == 3) {
        auto& [a, b, c] = value;
        return call(a, b, c);
    } else if constexpr (count == 4) {
        auto& [a, b, c, d] = value;
        return call(a, b, c, d);
    } else if constexpr (count == 5) {
        auto& [a, b, c, d, e] = value;
        return call(a, b, c, d, e);
    } else if constexpr (count == 6) {
        auto& [a, b, c, d, e, f] = value;
        return call(a, b, c, d, e, f);
    } else if constexpr (count == 7) {
        auto& [a, b, c, d, e, f, g] = value;
        return call(a, b, c, d, e, f, g);
    } else if constexpr (count == 8) {
        auto& [a, b, c, d, e, f, g, h] = value;
        return call(a, b, c, d, e, f, g, h);
    } else if constexpr (count == 9) {
        auto& [a, b, c, d, e, f, g, h, i] = value;
        return call(a, b, c, d, e, f, g, h, i);
    } else if constexpr (count == 10) {
        auto& [a, b, c, d, e, f, g, h, i, j] = value;
        return call(a, b, c, d, e, f, g, h, i, j);
    } else if constexpr (count == 11) {
        auto& [a, b, c, d, e, f, g, h, i, j, k] = value;
        return call(a, b, c, d, e, f, g, h, i, j, k);
    } else if constexpr (count == 12) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l] = value;
        return call(a, b, c, d, e, f, g, h, i, j, k, l);
    } else if constexpr (count == 13) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = value;
        return call(a, b, c, d, e, f, g, h, i, j, k, l, m);
    } else if constexpr (count == 14) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = value;
        return call(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
    } else if constexpr (count == 15) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = value;
        return call(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
    } else if constexpr (count == 16) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = value;
        return call(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
    } else if constexpr (count == 17) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = value;
        return call(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
    } else if constexpr (count == 18) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = value;
        return call(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
    } else if constexpr (count == 19) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = value;
        return call(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
    } else if constexpr (count == 20) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = value;
        return call(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
    } else if constexpr (count == 21) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = value;
        return call(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u);
    } else if constexpr (count == 22) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = value;
        return call(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
    } else if constexpr (count == 23) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = value;
        return call(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w);
    } else if constexpr (count == 24) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x] = value;
        return call(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x);
    } else if constexpr (count == 25) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y] = value;
        return call(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y);
    } else if constexpr (count == 26) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z] =
            value;
        return call(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z);
    }
}

struct listed_members {
    template <class... Members>
    constexpr type_list<std::remove_const_t<Members>...> operator()(Members&...) const {
        return {};
    }
};
template <class T>
using member_types = decltype(with_members(std::declval<T&>(), listed_members{}));

} // namespace lkt::detail
