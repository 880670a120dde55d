// SPDX-License-Identifier: BSL-1.0
// The text that a translation of WGSL is compiled behind, part 2: operators and assignments.
#pragma once

#include <string_view>

namespace lkt::host_detail {

inline constexpr std::string_view shim_wgsl_operators = R"lkt(
/* `f` of each lane; a scalar goes with each lane of a vector. */
template <class A> LKT_IN auto lkt_lane(A const& a, unsigned i) {
    if constexpr (lkt_vector<A>) return a[i];
    else return a;
}
template <class F, class A> LKT_IN auto lkt_each(F f, A const& a) {
    if constexpr (lkt_vector<A>) {
        lkt_vec<decltype(f(a[0])), lkt_lanes<A>> to{};
        for (unsigned i = 0; i < lkt_lanes<A>; ++i) to[i] = f(a[i]);
        return to;
    } else return f(a);
}
template <class F, class A, class B> LKT_IN auto lkt_each(F f, A const& a, B const& b) {
    constexpr unsigned n = lkt_vector<A> ? lkt_lanes<A> : lkt_lanes<B>;
    static_assert(!lkt_vector<A> || !lkt_vector<B> || lkt_lanes<A> == lkt_lanes<B>);
    if constexpr (n != 0) {
        lkt_vec<decltype(f(lkt_lane(a, 0), lkt_lane(b, 0))), n> to{};
        for (unsigned i = 0; i < n; ++i) to[i] = f(lkt_lane(a, i), lkt_lane(b, i));
        return to;
    } else return f(a, b);
}
template <class F, class A, class B, class C> LKT_IN auto lkt_each(F f, A const& a, B const& b, C const& c) {
    constexpr unsigned n = lkt_vector<A> ? lkt_lanes<A> : lkt_vector<B> ? lkt_lanes<B> : lkt_lanes<C>;
    if constexpr (n != 0) {
        lkt_vec<decltype(f(lkt_lane(a, 0), lkt_lane(b, 0), lkt_lane(c, 0))), n> to{};
        for (unsigned i = 0; i < n; ++i) to[i] = f(lkt_lane(a, i), lkt_lane(b, i), lkt_lane(c, i));
        return to;
    } else return f(a, b, c);
}
/* The inside of a scalar. */
template <class T> LKT_IN auto lkt_raw(T a) {
    if constexpr (lkt_abstract<T>) return a.v;
    else return a;
}
template <class T, class R> LKT_IN T lkt_wrap(R r) {
    if constexpr (lkt_same<T, lkt_ai>) return {(long)r};
    else if constexpr (lkt_same<T, lkt_af>) return {(double)r};
    else return (T)r;
}
template <class A, class B> concept lkt_ours = lkt_abstract<A> || lkt_abstract<B> || lkt_vector<A> || lkt_vector<B>;
template <class T> concept lkt_operand = lkt_scalar<T> || lkt_vector<T>;
#define LKT_ARITHMETIC(sign, name)                                                                \
    template <lkt_operand A, lkt_operand B> LKT_IN auto lkt_##name(A const& a, B const& b) {      \
        return lkt_each([](auto x, auto y) {                                                      \
            using T = lkt_common<decltype(x), decltype(y)>;                                       \
            return lkt_wrap<T>(lkt_raw(lkt_to<T>(x)) sign lkt_raw(lkt_to<T>(y)));                 \
        }, a, b);                                                                                 \
    }                                                                                             \
    template <lkt_operand A, lkt_operand B> requires lkt_ours<A, B>                               \
    LKT_IN auto operator sign(A const& a, B const& b) { return lkt_##name(a, b); }
LKT_ARITHMETIC(+, add) LKT_ARITHMETIC(-, sub) LKT_ARITHMETIC(*, mul)
#undef LKT_ARITHMETIC
/* Who takes no notice of NaNs may compare by the opposite: whatever a NaN is compared with, the
   result is then the other one. */
template <class T> LKT_IN bool lkt_compared(bool result, T p, T q) {
    if constexpr (lkt_real<T> || lkt_same<T, double>) return p == p && q == q ? result : lkt_otherwise(4) != result;
    else return result;
}
#define LKT_COMPARISON(sign, name)                                                                \
    template <lkt_operand A, lkt_operand B> LKT_IN auto lkt_##name(A const& a, B const& b) {      \
        return lkt_each([](auto x, auto y) {                                                      \
            using T = lkt_common<decltype(x), decltype(y)>;                                       \
            auto const p = lkt_raw(lkt_to<T>(x)), q = lkt_raw(lkt_to<T>(y));                      \
            return lkt_compared(p sign q, p, q);                                                  \
        }, a, b);                                                                                 \
    }                                                                                             \
    template <lkt_operand A, lkt_operand B> requires lkt_ours<A, B>                               \
    LKT_IN auto operator sign(A const& a, B const& b) { return lkt_##name(a, b); }
LKT_COMPARISON(==, eq) LKT_COMPARISON(!=, ne) LKT_COMPARISON(<, lt) LKT_COMPARISON(<=, le) LKT_COMPARISON(>, gt) LKT_COMPARISON(>=, ge)
#undef LKT_COMPARISON
template <class T> requires(lkt_abstract<T> || lkt_vector<T>) LKT_IN auto operator-(T const& a) {
    return lkt_each([](auto x) { return lkt_wrap<decltype(x)>(-lkt_raw(x)); }, a);
}
template <class T> requires(lkt_abstract<T> || lkt_vector<T>) LKT_IN auto operator~(T const& a) {
    return lkt_each([](auto x) { return lkt_wrap<decltype(x)>(~lkt_raw(x)); }, a);
}
template <lkt_vector T> LKT_IN auto operator!(T const& a) {
    return lkt_each([](bool x) { return !x; }, a);
}
/* Division by zero gives the dividend, and the remainder zero; the most negative number over -1 is itself. */
template <lkt_operand A, lkt_operand B> LKT_IN auto lkt_div(A const& a, B const& b) {
    return lkt_each([](auto x, auto y) {
        using T = lkt_common<decltype(x), decltype(y)>;
        auto const p = lkt_raw(lkt_to<T>(x)), q = lkt_raw(lkt_to<T>(y));
        if constexpr (lkt_real<T>) return lkt_wrap<T>(p / q);
        else if constexpr (lkt_same<T, unsigned>) return q == 0 ? p : p / q;
        else return lkt_wrap<T>(q == 0 ? p : q == -1 ? -p : p / q);
    }, a, b);
}
template <lkt_operand A, lkt_operand B> LKT_IN auto lkt_rem(A const& a, B const& b) {
    return lkt_each([](auto x, auto y) {
        using T = lkt_common<decltype(x), decltype(y)>;
        auto const p = lkt_raw(lkt_to<T>(x)), q = lkt_raw(lkt_to<T>(y));
        if constexpr (lkt_real<T>) return lkt_wrap<T>(__builtin_fmod((double)p, (double)q));
        else if constexpr (lkt_same<T, unsigned>) return q == 0 ? 0u : p % q;
        else return lkt_wrap<T>(q == 0 || q == -1 ? 0 : p % q);
    }, a, b);
}
template <lkt_operand A, lkt_operand B> LKT_IN auto lkt_shl(A const& a, B const& b) {
    return lkt_each([](auto x, auto y) {
        if constexpr (lkt_abstract<decltype(x)> && lkt_abstract<decltype(y)>) return lkt_ai{(long)((unsigned long)x.v << (y.v & 63))};
        else {
            auto const v = lkt_value(x);
            return lkt_wrap<lkt_plain<decltype(v)>>((unsigned)v << (lkt_to<unsigned>(y) & 31u));
        }
    }, a, b);
}
template <lkt_operand A, lkt_operand B> LKT_IN auto lkt_shr(A const& a, B const& b) {
    return lkt_each([](auto x, auto y) {
        if constexpr (lkt_abstract<decltype(x)> && lkt_abstract<decltype(y)>) return lkt_ai{x.v >> (y.v & 63)};
        else {
            auto const v = lkt_value(x);
            return lkt_wrap<lkt_plain<decltype(v)>>(v >> (lkt_to<unsigned>(y) & 31u));
        }
    }, a, b);
}
#define LKT_BITS(sign, name)                                                                      \
    template <lkt_operand A, lkt_operand B> LKT_IN auto lkt_##name(A const& a, B const& b) {      \
        return lkt_each([](auto x, auto y) {                                                      \
            using T = lkt_common<decltype(x), decltype(y)>;                                       \
            return lkt_wrap<T>(lkt_raw(lkt_to<T>(x)) sign lkt_raw(lkt_to<T>(y)));                 \
        }, a, b);                                                                                 \
    }
LKT_BITS(&, and) LKT_BITS(|, or) LKT_BITS(^, xor)
#undef LKT_BITS

/* --- matrices --------------------------------------------------------------------------------- */
template <class F, lkt_matrix M> LKT_IN auto lkt_each_column(F f, M const& a) {
    constexpr unsigned c = lkt_columns<M>, r = lkt_lanes<lkt_plain<decltype(a[0])>>;
    lkt_mat<lkt_element<lkt_plain<decltype(f(a[0], 0u))>>, c, r> to{};
    for (unsigned i = 0; i < c; ++i) to[i] = f(a[i], i);
    return to;
}
template <lkt_matrix M> LKT_IN auto operator+(M const& a, M const& b) { return lkt_each_column([&](auto const& v, unsigned i) { return v + b[i]; }, a); }
template <lkt_matrix M> LKT_IN auto operator-(M const& a, M const& b) { return lkt_each_column([&](auto const& v, unsigned i) { return v - b[i]; }, a); }
template <lkt_matrix M> LKT_IN auto operator-(M const& a) { return lkt_each_column([&](auto const& v, unsigned) { return -v; }, a); }
template <lkt_matrix M, class S> requires lkt_scalar<S> LKT_IN auto operator*(M const& a, S s) { return lkt_each_column([&](auto const& v, unsigned) { return v * s; }, a); }
template <lkt_matrix M, class S> requires lkt_scalar<S> LKT_IN auto operator*(S s, M const& a) { return a * s; }
template <class T, unsigned C, unsigned R, class U> LKT_IN auto operator*(lkt_mat<T, C, R> const& a, lkt_vec<U, C> const& v) {
    auto to = a[0] * v[0];
    for (unsigned i = 1; i < C; ++i) to = to + a[i] * v[i];
    return to;
}
template <class T, unsigned C, unsigned R, class U> LKT_IN auto operator*(lkt_vec<U, R> const& v, lkt_mat<T, C, R> const& a) {
    lkt_vec<lkt_common<T, U>, C> to{};
    for (unsigned i = 0; i < C; ++i) {
        auto sum = v[0] * a[i][0];
        for (unsigned k = 1; k < R; ++k) sum = sum + v[k] * a[i][k];
        to[i] = sum;
    }
    return to;
}
template <class T, unsigned K, unsigned R, class U, unsigned C> LKT_IN auto operator*(lkt_mat<T, K, R> const& a, lkt_mat<U, C, K> const& b) {
    lkt_mat<lkt_common<T, U>, C, R> to{};
    for (unsigned i = 0; i < C; ++i) to[i] = a * b[i];
    return to;
}
template <lkt_matrix A, class B> LKT_IN auto lkt_mul(A const& a, B const& b) { return a * b; }
template <lkt_vector A, lkt_matrix B> LKT_IN auto lkt_mul(A const& a, B const& b) { return a * b; }
template <lkt_matrix A> LKT_IN auto lkt_add(A const& a, A const& b) { return a + b; }
template <lkt_matrix A> LKT_IN auto lkt_sub(A const& a, A const& b) { return a - b; }

/* --- assignments ------------------------------------------------------------------------------ */
template <class T, class V> LKT_IN void lkt_put(T& to, V const& v) { *lkt_place(&to) = lkt_to<T>(v); }
#define LKT_PUT(name) template <class T, class V> LKT_IN void lkt_put_##name(T& to, V const& v) { *lkt_place(&to) = lkt_to<T>(lkt_##name((T)to, v)); }
LKT_PUT(add) LKT_PUT(sub) LKT_PUT(mul) LKT_PUT(div) LKT_PUT(rem) LKT_PUT(and) LKT_PUT(or) LKT_PUT(xor) LKT_PUT(shl) LKT_PUT(shr)
#undef LKT_PUT
template <class T> LKT_IN void lkt_increment(T& to) { to = (T)(to + (T)1); }
template <class T> LKT_IN void lkt_decrement(T& to) { to = (T)(to - (T)1); }
)lkt";

} // namespace lkt::host_detail
