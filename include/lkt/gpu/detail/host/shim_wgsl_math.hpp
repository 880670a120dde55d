// SPDX-License-Identifier: BSL-1.0
// The text that a translation of WGSL is compiled behind, part 3: functions of one invocation.
#pragma once

#include <string_view>

namespace lkt::host_detail {

inline constexpr std::string_view shim_wgsl_math = R"lkt(
/* Floats of one precision or another are computed in float. */
template <class T> using lkt_float = lkt_plain<decltype(lkt_value(lkt_to<lkt_common<T, lkt_af>>(T{})))>;
#define LKT_FUNCTION1(name, ...)                                                                  \
    template <lkt_operand A> LKT_IN auto lkt_##name(A const& a) {                                 \
        return lkt_each([](auto v) {                                                              \
            using T = lkt_float<decltype(v)>;                                                     \
            float const x = (float)lkt_raw(v);                                                    \
            return (T)(__VA_ARGS__);                                                              \
        }, a);                                                                                    \
    }
#define LKT_FUNCTION2(name, ...)                                                                  \
    template <lkt_operand A, lkt_operand B> LKT_IN auto lkt_##name(A const& a, B const& b) {      \
        return lkt_each([](auto v, auto w) {                                                      \
            using T = lkt_float<lkt_common<decltype(v), decltype(w)>>;                            \
            float const x = (float)lkt_raw(v), y = (float)lkt_raw(w);                             \
            return (T)(__VA_ARGS__);                                                              \
        }, a, b);                                                                                 \
    }
#define LKT_FUNCTION3(name, ...)                                                                  \
    template <lkt_operand A, lkt_operand B, lkt_operand C>                                        \
    LKT_IN auto lkt_##name(A const& a, B const& b, C const& c) {                                  \
        return lkt_each([](auto v, auto w, auto u) {                                              \
            using T = lkt_float<lkt_common<lkt_common<decltype(v), decltype(w)>, decltype(u)>>;   \
            float const x = (float)lkt_raw(v), y = (float)lkt_raw(w), z = (float)lkt_raw(u);      \
            return (T)(__VA_ARGS__);                                                              \
        }, a, b, c);                                                                              \
    }
#define LKT_SAME(name) LKT_FUNCTION1(name, __builtin_##name##f(x))
LKT_SAME(acos) LKT_SAME(acosh) LKT_SAME(asin) LKT_SAME(asinh) LKT_SAME(atan) LKT_SAME(atanh) LKT_SAME(ceil)
LKT_SAME(cos) LKT_SAME(cosh) LKT_SAME(exp) LKT_SAME(exp2) LKT_SAME(floor) LKT_SAME(log) LKT_SAME(log2)
LKT_SAME(sin) LKT_SAME(sinh) LKT_SAME(sqrt) LKT_SAME(tan) LKT_SAME(tanh) LKT_SAME(trunc)
#undef LKT_SAME
LKT_FUNCTION1(round, __builtin_rintf(x))
LKT_FUNCTION1(degrees, x * 57.295779513082322865f)
LKT_FUNCTION1(radians, x * 0.017453292519943295f)
LKT_FUNCTION1(fract, x - __builtin_floorf(x))
LKT_FUNCTION1(inverseSqrt, 1.0f / __builtin_sqrtf(x))
LKT_FUNCTION1(saturate, lkt_lt(x, 0.0f) ? 0.0f : lkt_gt(x, 1.0f) ? 1.0f : x)
LKT_FUNCTION1(quantizeToF16, (float)(lkt_half)x)
LKT_FUNCTION2(atan2, __builtin_atan2f(x, y))
LKT_FUNCTION2(pow, __builtin_powf(x, y))
LKT_FUNCTION2(step, lkt_le(x, y) ? 1.0f : 0.0f)
/* Of a product that is rounded by itself, or is not. */
template <class T> LKT_IN float lkt_fused(float x, float y, float z) {
    float const once = __builtin_fmaf(x, y, z), twice = (float)(T)(x * y) + z;
    if (__builtin_is_constant_evaluated() || (T)once == (T)twice || once != once) return once;
    return lkt_otherwise(2) ? twice : once;
}
LKT_FUNCTION3(fma, lkt_fused<T>(x, y, z))
LKT_FUNCTION3(mix, x * (1.0f - z) + y * z)
LKT_IN float lkt_hermite(float t) { return t * t * (3.0f - 2.0f * t); }
LKT_FUNCTION3(smoothstep, lkt_hermite((z - x) / (y - x) < 0 ? 0.0f : (z - x) / (y - x) > 1 ? 1.0f : (z - x) / (y - x)))
#undef LKT_FUNCTION1
#undef LKT_FUNCTION2
#undef LKT_FUNCTION3

/* --- of any number ---------------------------------------------------------------------------- */
template <lkt_operand A> LKT_IN auto lkt_abs(A const& a) {
    return lkt_each([](auto x) {
        if constexpr (lkt_same<decltype(x), unsigned>) return x;
        else return lkt_wrap<decltype(x)>(lkt_raw(x) < 0 ? -lkt_raw(x) : lkt_raw(x));
    }, a);
}
template <lkt_operand A> LKT_IN auto lkt_sign(A const& a) {
    return lkt_each([](auto x) { return lkt_wrap<decltype(x)>(lkt_gt(x, lkt_ai{0}) ? 1 : lkt_lt(x, lkt_ai{0}) ? -1 : 0); }, a);
}
/* Of two numbers `second ? q : p`; of a number and a NaN the number, or the NaN. */
template <class T, class R> LKT_IN T lkt_chosen(bool second, T p, T q, R r, R s) {
    if constexpr (lkt_real<T>) {
        if (r != r) return lkt_otherwise(8) ? p : q;
        if (s != s) return lkt_otherwise(8) ? q : p;
    }
    return second ? q : p;
}
template <lkt_operand A, lkt_operand B> LKT_IN auto lkt_min(A const& a, B const& b) {
    return lkt_each([](auto x, auto y) {
        using T = lkt_common<decltype(x), decltype(y)>;
        T const p = lkt_to<T>(x), q = lkt_to<T>(y);
        return lkt_chosen(lkt_raw(q) < lkt_raw(p), p, q, lkt_raw(p), lkt_raw(q));
    }, a, b);
}
template <lkt_operand A, lkt_operand B> LKT_IN auto lkt_max(A const& a, B const& b) {
    return lkt_each([](auto x, auto y) {
        using T = lkt_common<decltype(x), decltype(y)>;
        T const p = lkt_to<T>(x), q = lkt_to<T>(y);
        return lkt_chosen(lkt_raw(p) < lkt_raw(q), p, q, lkt_raw(p), lkt_raw(q));
    }, a, b);
}
template <lkt_operand A, lkt_operand B, lkt_operand C> LKT_IN auto lkt_clamp(A const& a, B const& b, C const& c) { return lkt_min(lkt_max(a, b), c); }
template <class A, class B> LKT_IN auto lkt_select(A const& a, B const& b, bool which) {
    if constexpr (lkt_scalar<A> && lkt_scalar<B>) {
        using T = lkt_common<A, B>;
        return which ? lkt_to<T>(b) : lkt_to<T>(a);
    } else if constexpr (lkt_vector<A> && lkt_vector<B>) return lkt_each([which](auto x, auto y) { return lkt_select(x, y, which); }, a, b);
    else return which ? b : a;
}
template <class A, class B, unsigned N> LKT_IN auto lkt_select(A const& a, B const& b, lkt_vec<bool, N> const& which) {
    return lkt_each([](auto x, auto y, bool w) { return lkt_select(x, y, w); }, a, b, which);
}
LKT_IN bool lkt_all(bool a) { return a; }
LKT_IN bool lkt_any(bool a) { return a; }
template <unsigned N> LKT_IN bool lkt_all(lkt_vec<bool, N> const& a) {
    bool r = true;
    for (unsigned i = 0; i < N; ++i) r = r && a[i];
    return r;
}
template <unsigned N> LKT_IN bool lkt_any(lkt_vec<bool, N> const& a) {
    bool r = false;
    for (unsigned i = 0; i < N; ++i) r = r || a[i];
    return r;
}

/* --- of vectors and matrices ------------------------------------------------------------------ */
template <lkt_vector A, lkt_vector B> LKT_IN auto lkt_dot(A const& a, B const& b) {
    auto sum = a[0] * b[0];
    for (unsigned i = 1; i < lkt_lanes<A>; ++i) sum = sum + a[i] * b[i];
    return sum;
}
template <lkt_vector A, lkt_vector B> LKT_IN auto lkt_cross(A const& a, B const& b) {
    return lkt_make_vec<3>(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}
template <lkt_operand A> LKT_IN auto lkt_length(A const& a) {
    if constexpr (lkt_vector<A>) return lkt_sqrt(lkt_dot(a, a));
    else return lkt_abs(a);
}
template <lkt_operand A, lkt_operand B> LKT_IN auto lkt_distance(A const& a, B const& b) { return lkt_length(lkt_sub(a, b)); }
template <lkt_vector A> LKT_IN auto lkt_normalize(A const& a) { return lkt_div(a, lkt_length(a)); }
template <lkt_vector A, lkt_vector B, lkt_vector C> LKT_IN auto lkt_faceForward(A const& a, B const& b, C const& c) { return lkt_select(-a, a, lkt_dot(b, c) < lkt_ai{0}); }
template <lkt_vector A, lkt_vector B> LKT_IN auto lkt_reflect(A const& a, B const& b) { return a - b * (lkt_dot(a, b) * lkt_ai{2}); }
template <lkt_vector A, lkt_vector B, class C> LKT_IN auto lkt_refract(A const& a, B const& b, C const& eta) {
    auto const d = lkt_dot(b, a);
    auto const k = lkt_ai{1} - eta * eta * (lkt_ai{1} - d * d);
    auto const r = a * eta - b * (eta * d + lkt_sqrt(lkt_max(k, lkt_ai{0})));
    return lkt_select(r, r * lkt_ai{0}, k < lkt_ai{0});
}
template <class T, unsigned C, unsigned R> LKT_IN auto lkt_transpose(lkt_mat<T, C, R> const& a) {
    lkt_mat<T, R, C> to{};
    for (unsigned c = 0; c < C; ++c) for (unsigned r = 0; r < R; ++r) to[r][c] = a[c][r];
    return to;
}
template <class T> LKT_IN T lkt_determinant(lkt_mat<T, 2, 2> const& a) { return a[0][0] * a[1][1] - a[1][0] * a[0][1]; }
template <class T> LKT_IN T lkt_determinant(lkt_mat<T, 3, 3> const& a) { return lkt_dot(a[0], lkt_cross(a[1], a[2])); }
template <class T> LKT_IN T lkt_determinant(lkt_mat<T, 4, 4> const& a) {
    T sum = 0;
    for (unsigned c = 0; c < 4; ++c) {
        lkt_mat<T, 3, 3> minor{};
        for (unsigned i = 0, k = 0; i < 4; ++i) if (i != c) { for (unsigned r = 1; r < 4; ++r) minor[k][r - 1] = a[i][r]; ++k; }
        sum = sum + (c % 2 == 0 ? (T)1 : (T)-1) * a[c][0] * lkt_determinant(minor);
    }
    return sum;
}
template <class F, class W> struct lkt_parts_of_modf { F m_fract; W m_whole; };
template <lkt_operand A> LKT_IN auto lkt_modf(A const& a) {
    auto const x = lkt_value(a);
    auto const whole = lkt_trunc(x);
    return lkt_parts_of_modf<lkt_plain<decltype(whole)>, lkt_plain<decltype(whole)>>{lkt_sub(x, whole), whole};
}
template <class F, class E> struct lkt_parts_of_frexp { F m_fract; E m_exp; };
template <lkt_operand A> inline auto lkt_frexp(A const& a) {
    auto const fract = lkt_each([](auto v) { int e = 0; return (lkt_float<decltype(v)>)__builtin_frexpf((float)lkt_raw(v), &e); }, a);
    auto const exponent = lkt_each([](auto v) { int e = 0; (void)__builtin_frexpf((float)lkt_raw(v), &e); return e; }, a);
    return lkt_parts_of_frexp<lkt_plain<decltype(fract)>, lkt_plain<decltype(exponent)>>{fract, exponent};
}
template <lkt_operand A, lkt_operand B> LKT_IN auto lkt_ldexp(A const& a, B const& b) {
    return lkt_each([](auto x, auto e) { return (lkt_float<decltype(x)>)__builtin_ldexpf((float)lkt_raw(x), lkt_to<int>(e)); }, a, b);
}

/* --- bits ------------------------------------------------------------------------------------- */
#define LKT_OF_BITS(name, ...)                                                                    \
    template <lkt_operand A> LKT_IN auto lkt_##name(A const& a) {                                 \
        return lkt_each([](auto v) {                                                              \
            auto const firm = lkt_value(v);                                                       \
            using T = lkt_plain<decltype(firm)>;                                                  \
            unsigned const x = (unsigned)firm;                                                    \
            return (T)(__VA_ARGS__);                                                              \
        }, a);                                                                                    \
    }
LKT_OF_BITS(countOneBits, __builtin_popcount(x))
LKT_OF_BITS(countLeadingZeros, x == 0 ? 32 : __builtin_clz(x))
LKT_OF_BITS(countTrailingZeros, x == 0 ? 32 : __builtin_ctz(x))
LKT_OF_BITS(firstTrailingBit, x == 0 ? ~0u : (unsigned)__builtin_ctz(x))
LKT_IN unsigned lkt_highest(unsigned x) { return x == 0 ? ~0u : 31u - (unsigned)__builtin_clz(x); }
LKT_OF_BITS(firstLeadingBit, lkt_highest(lkt_same<T, int> && firm < (T)0 ? ~x : x))
LKT_IN unsigned lkt_reversed(unsigned x) {
    unsigned r = 0;
    for (unsigned i = 0; i < 32; ++i) r |= (x >> i & 1u) << (31u - i);
    return r;
}
LKT_OF_BITS(reverseBits, lkt_reversed(x))
#undef LKT_OF_BITS
template <lkt_operand A, class B, class C> LKT_IN auto lkt_extractBits(A const& a, B const& b, C const& c) {
    unsigned const o = lkt_to<unsigned>(b) < 32u ? lkt_to<unsigned>(b) : 32u;
    unsigned const n = lkt_to<unsigned>(c) < 32u - o ? lkt_to<unsigned>(c) : 32u - o;
    return lkt_each([o, n](auto v) {
        auto const x = lkt_value(v);
        using T = lkt_plain<decltype(x)>;
        return n == 0 ? (T)0 : (T)((T)((unsigned)x << (32u - n - o)) >> (32u - n));
    }, a);
}
template <lkt_operand A, lkt_operand N, class B, class C> LKT_IN auto lkt_insertBits(A const& a, N const& bits, B const& b, C const& c) {
    unsigned const o = lkt_to<unsigned>(b) < 32u ? lkt_to<unsigned>(b) : 32u;
    unsigned const n = lkt_to<unsigned>(c) < 32u - o ? lkt_to<unsigned>(c) : 32u - o;
    unsigned const mask = n == 0 ? 0u : (n == 32u ? ~0u : (1u << n) - 1u) << o;
    return lkt_each([o, mask](auto v, auto w) {
        auto const x = lkt_value(v);
        return (lkt_plain<decltype(x)>)(((unsigned)x & ~mask) | (mask == 0 ? 0u : ((unsigned)lkt_raw(w) << o) & mask));
    }, a, bits);
}

/* --- packing ---------------------------------------------------------------------------------- */
template <class V, class F> LKT_IN unsigned lkt_packed(V const& v, unsigned width, F f) {
    unsigned r = 0;
    for (unsigned i = 0; i < lkt_lanes<V>; ++i) r |= ((unsigned)f(v[i]) & (width == 8 ? 0xffu : 0xffffu)) << (i * width);
    return r;
}
LKT_IN float lkt_limited(float x, float low) { return x > 1 ? 1.0f : x > low ? x : low; }
template <lkt_vector V> LKT_IN unsigned lkt_pack4x8snorm(V const& v) { return lkt_packed(lkt_value(v), 8, [](float x) { return (int)__builtin_floorf(0.5f + 127.0f * lkt_limited(x, -1)); }); }
template <lkt_vector V> LKT_IN unsigned lkt_pack4x8unorm(V const& v) { return lkt_packed(lkt_value(v), 8, [](float x) { return (int)__builtin_floorf(0.5f + 255.0f * lkt_limited(x, 0)); }); }
template <lkt_vector V> LKT_IN unsigned lkt_pack2x16snorm(V const& v) { return lkt_packed(lkt_value(v), 16, [](float x) { return (int)__builtin_floorf(0.5f + 32767.0f * lkt_limited(x, -1)); }); }
template <lkt_vector V> LKT_IN unsigned lkt_pack2x16unorm(V const& v) { return lkt_packed(lkt_value(v), 16, [](float x) { return (int)__builtin_floorf(0.5f + 65535.0f * lkt_limited(x, 0)); }); }
template <lkt_vector V> LKT_IN unsigned lkt_pack2x16float(V const& v) { return lkt_packed(lkt_value(v), 16, [](float x) { return __builtin_bit_cast(unsigned short, (lkt_half)x); }); }
template <lkt_vector V> LKT_IN unsigned lkt_pack4xI8(V const& v) { return lkt_packed(lkt_value(v), 8, [](int x) { return x; }); }
template <lkt_vector V> LKT_IN unsigned lkt_pack4xU8(V const& v) { return lkt_packed(v, 8, [](auto x) { return lkt_to<unsigned>(x); }); }
template <lkt_vector V> LKT_IN unsigned lkt_pack4xI8Clamp(V const& v) { return lkt_packed(lkt_value(v), 8, [](int x) { return x < -128 ? -128 : x > 127 ? 127 : x; }); }
template <lkt_vector V> LKT_IN unsigned lkt_pack4xU8Clamp(V const& v) { return lkt_packed(v, 8, [](auto x) { return lkt_to<unsigned>(x) > 255u ? 255u : lkt_to<unsigned>(x); }); }
template <unsigned N, class F> LKT_IN auto lkt_unpacked(unsigned x, F f) {
    lkt_vec<decltype(f(0u)), N> to{};
    for (unsigned i = 0; i < N; ++i) to[i] = f(x >> (i * (32u / N)));
    return to;
}
LKT_IN auto lkt_unpack4x8snorm(unsigned x) { return lkt_unpacked<4>(x, [](unsigned b) { return lkt_limited((float)(signed char)b / 127.0f, -1); }); }
LKT_IN auto lkt_unpack4x8unorm(unsigned x) { return lkt_unpacked<4>(x, [](unsigned b) { return (float)(b & 0xffu) / 255.0f; }); }
LKT_IN auto lkt_unpack2x16snorm(unsigned x) { return lkt_unpacked<2>(x, [](unsigned b) { return lkt_limited((float)(short)b / 32767.0f, -1); }); }
LKT_IN auto lkt_unpack2x16unorm(unsigned x) { return lkt_unpacked<2>(x, [](unsigned b) { return (float)(b & 0xffffu) / 65535.0f; }); }
LKT_IN auto lkt_unpack2x16float(unsigned x) { return lkt_unpacked<2>(x, [](unsigned b) { return (float)__builtin_bit_cast(lkt_half, (unsigned short)b); }); }
LKT_IN auto lkt_unpack4xI8(unsigned x) { return lkt_unpacked<4>(x, [](unsigned b) { return (int)(signed char)b; }); }
LKT_IN auto lkt_unpack4xU8(unsigned x) { return lkt_unpacked<4>(x, [](unsigned b) { return b & 0xffu; }); }
LKT_IN int lkt_dot4I8Packed(unsigned a, unsigned b) { return lkt_dot(lkt_unpack4xI8(a), lkt_unpack4xI8(b)); }
LKT_IN unsigned lkt_dot4U8Packed(unsigned a, unsigned b) { return lkt_dot(lkt_unpack4xU8(a), lkt_unpack4xU8(b)); }
)lkt";

} // namespace lkt::host_detail
