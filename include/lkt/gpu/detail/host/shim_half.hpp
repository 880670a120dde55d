// SPDX-License-Identifier: BSL-1.0
// The text that a CUDA kernel is compiled behind, part 4: cuda_fp16.h and cuda_bf16.h.
#pragma once

#include <string_view>

namespace lkt::host_detail {

/// The two types. They differ in their bits alone; `shim_sixteen` has what both can do.
inline constexpr std::string_view shim_half = R"lkt(
struct __half_raw { unsigned short x; };
struct __attribute__((aligned(4))) __half2_raw { unsigned short x, y; };
struct __half {
    unsigned short v;
    __half() = default;
    __half(__half_raw a) : v(a.x) {}
    operator __half_raw() const { return {v}; }
    __half(float a) {
        unsigned const bits = __float_as_uint(a), size = bits & 0x7fffffffu;
        unsigned r;
        if (size >= 0x47800000u) r = size > 0x7f800000u ? 0x7fff : 0x7c00;
        else if (size < 0x38800000u) r = __float_as_uint(__uint_as_float(size) + 0.5f) - 0x3f000000u;
        else r = (size - 0x38000000u + 0xfffu + (size >> 13 & 1)) >> 13;
        v = (unsigned short)(r | bits >> 16 & 0x8000u);
    }
    __half(double a) : __half(lkt_to_odd(a)) {}
    template <lkt_integer T> __half(T a) : __half((double)a) {}
    operator float() const {
        unsigned const sign = (v & 0x8000u) << 16, size = (v & 0x7fffu) << 13;
        if (size >= 0x0f800000u) return __uint_as_float(sign | size | 0x7f800000u);
        return __uint_as_float(__float_as_uint(__uint_as_float(size) * 0x1p112f) | sign);
    }
};
typedef __half half;
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
    __half2() = default;
    __half2(__half a, __half b) : x(a), y(b) {}
    __half2(__half2_raw a) : x(__half_raw{a.x}), y(__half_raw{a.y}) {}
    operator __half2_raw() const { return {x.v, y.v}; }
};
typedef __half2 half2;
LKT_SIXTEEN(__half, __half2, half, half2)
inline __half2 __floats2half2_rn(float a, float b) { return {a, b}; }
inline float2 __half22float2(__half2 a) { return {a.x, a.y}; }
inline __half2 __halves2half2(__half a, __half b) { return {a, b}; }
inline __half2 __half2half2(__half a) { return {a, a}; }
)lkt";

inline constexpr std::string_view shim_bfloat = R"lkt(
struct __nv_bfloat16 {
    unsigned short v;
    __nv_bfloat16() = default;
    __nv_bfloat16(float a) {
        unsigned bits = __float_as_uint(a);
        if (a != a) v = 0x7fff;
        else v = (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
    }
    __nv_bfloat16(double a) : __nv_bfloat16(lkt_to_odd(a)) {}
    template <lkt_integer T> __nv_bfloat16(T a) : __nv_bfloat16((double)a) {}
    operator float() const { return __uint_as_float((unsigned)v << 16); }
};
typedef __nv_bfloat16 nv_bfloat16;
struct __attribute__((aligned(4))) __nv_bfloat162 { __nv_bfloat16 x, y; };
typedef __nv_bfloat162 nv_bfloat162;
LKT_SIXTEEN(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {a, b}; }
inline float2 __bfloat1622float2(__nv_bfloat162 a) { return {a.x, a.y}; }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
)lkt";

/// Arithmetic on 16-bit floating point, each operation rounded as on a GPU: `float` has more than
/// twice their digits, so rounding its result a second time changes nothing.
inline constexpr std::string_view shim_sixteen = R"lkt(
/* Rounded so that rounding again, to fewer digits, gives what rounding once gives. */
inline float lkt_to_odd(double a) {
    float const near = (float)a;
    if ((double)near == a || a != a || near - near != 0) return near;
    unsigned const bits = __float_as_uint(near);
    return __uint_as_float((fabs((double)near) > fabs(a) ? bits - 1 : bits) | 1);
}
template <class S> inline S lkt_of_bits(unsigned short bits) { return __builtin_bit_cast(S, bits); }
template <class S> inline unsigned short lkt_bits_of(S a) { return __builtin_bit_cast(unsigned short, a); }
/* mode: 0 toward zero, 1 down, 2 up */
template <class S> inline S lkt_directed(float a, int mode) {
    S const near(a);
    float const r = near;
    unsigned short const bits = lkt_bits_of(near);
    bool const beyond = mode == 0 ? fabsf(r) > fabsf(a) : mode == 1 ? r > a : r < a;
    if (!beyond) return near;
    if (mode == 0 || (r > 0) == (mode == 1)) return lkt_of_bits<S>(bits - 1);
    return lkt_of_bits<S>(r == 0 ? mode == 1 ? 0x8001 : 1 : bits + 1);
}
template <class S> inline S lkt_saturated(S a) {
    float const f = a;
    return f > 0 ? f < 1 ? a : S(1.0f) : S(0.0f);
}
template <class T> inline T lkt_clamped(float a) {
    constexpr bool is_signed = (T)-1 < (T)0;
    constexpr int bits = sizeof(T) * 8 - is_signed;
    float const top = ldexpf(1.0f, bits);
    if (a != a) return 0;
    if (a >= top) return (T)(((unsigned long long)1 << (bits - 1)) - 1 + ((unsigned long long)1 << (bits - 1)));
    if (a <= (is_signed ? -top : 0.0f)) return is_signed ? (T)((unsigned long long)1 << bits % 64) : (T)0;
    return (T)a;
}
template <class S> inline S lkt_rectified(S a) { return (float)a < 0 ? S(0.0f) : a; }
#define LKT_SIXTEEN_BINARY(S, P, op, name)                                                        \
    inline S operator op(S a, S b) { return S((float)a op (float)b); }                            \
    inline S& operator op##=(S& a, S b) { return a = a op b; }                                    \
    inline P operator op(P a, P b) { return {a.x op b.x, a.y op b.y}; }                           \
    inline P& operator op##=(P& a, P b) { return a = a op b; }                                    \
    inline S __h##name(S a, S b) { return a op b; }                                               \
    inline S __h##name##_rn(S a, S b) { return a op b; }                                          \
    inline S __h##name##_sat(S a, S b) { return lkt_saturated(a op b); }                          \
    inline P __h##name##2(P a, P b) { return a op b; }                                            \
    inline P __h##name##2_rn(P a, P b) { return a op b; }                                         \
    inline P __h##name##2_sat(P a, P b) { return {__h##name##_sat(a.x, b.x), __h##name##_sat(a.y, b.y)}; }
#define LKT_SIXTEEN_ORDER(S, P, name, test)                                                       \
    inline bool __h##name(S p, S q) { float const a = p, b = q; return (test) && !__builtin_isunordered(a, b); } \
    inline bool __h##name##u(S p, S q) { float const a = p, b = q; return (test) || __builtin_isunordered(a, b); } \
    LKT_SIXTEEN_ORDER_PAIR(S, P, name) LKT_SIXTEEN_ORDER_PAIR(S, P, name##u)
#define LKT_SIXTEEN_ORDER_PAIR(S, P, name) LKT_SIXTEEN_ORDER_PAIRS(S, P, __h##name, __h##name##2, __h##name##2_mask, __hb##name##2)
#define LKT_SIXTEEN_ORDER_PAIRS(S, P, one, pair, mask, both)                                      \
    inline P pair(P a, P b) { return {S(one(a.x, b.x) ? 1.0f : 0.0f), S(one(a.y, b.y) ? 1.0f : 0.0f)}; } \
    inline unsigned mask(P a, P b) { return (one(a.x, b.x) ? 0xffffu : 0) | (one(a.y, b.y) ? 0xffff0000u : 0); } \
    inline bool both(P a, P b) { return one(a.x, b.x) && one(a.y, b.y); }
#define LKT_SIXTEEN_OPERATOR(S, P, op, name)                                                      \
    inline bool operator op(S a, S b) { return (float)a op (float)b; }                            \
    inline bool operator op(P a, P b) { return __hb##name##2(a, b); }
#define LKT_SIXTEEN_UNARY(S, P, name, value)                                                      \
    inline S h##name(S p) { float const a = p; return S((float)(value)); }                        \
    inline P h2##name(P a) { return {h##name(a.x), h##name(a.y)}; }
#define LKT_SIXTEEN_INTEGER(S, n, T, t)                                                           \
    inline S __##t##2##n##_rn(T a) { return S(a); }                                               \
    inline T __##n##2##t##_rz(S a) { return lkt_clamped<T>(truncf((float)a)); }                   \
    inline T __##n##2##t##_rn(S a) { return lkt_clamped<T>(rintf((float)a)); }                    \
    inline T __##n##2##t##_rd(S a) { return lkt_clamped<T>(floorf((float)a)); }                   \
    inline T __##n##2##t##_ru(S a) { return lkt_clamped<T>(ceilf((float)a)); }
#define LKT_SIXTEEN(S, P, n, n2)                                                                  \
    LKT_SIXTEEN_BINARY(S, P, +, add) LKT_SIXTEEN_BINARY(S, P, -, sub) LKT_SIXTEEN_BINARY(S, P, *, mul) \
    inline S operator/(S a, S b) { return S((float)a / (float)b); }                               \
    inline S& operator/=(S& a, S b) { return a = a / b; }                                         \
    inline P operator/(P a, P b) { return {a.x / b.x, a.y / b.y}; }                               \
    inline P& operator/=(P& a, P b) { return a = a / b; }                                         \
    inline S __hdiv(S a, S b) { return a / b; }                                                   \
    inline P __h2div(P a, P b) { return a / b; }                                                  \
    inline S operator+(S a) { return a; }                                                         \
    inline S operator-(S a) { return lkt_of_bits<S>(lkt_bits_of(a) ^ 0x8000); }                   \
    inline P operator-(P a) { return {-a.x, -a.y}; }                                              \
    inline S& operator++(S& a) { return a += S(1.0f); }                                           \
    inline S& operator--(S& a) { return a -= S(1.0f); }                                           \
    inline S __hneg(S a) { return -a; }                                                           \
    inline P __hneg2(P a) { return -a; }                                                          \
    inline S __habs(S a) { return lkt_of_bits<S>(lkt_bits_of(a) & 0x7fff); }                      \
    inline P __habs2(P a) { return {__habs(a.x), __habs(a.y)}; }                                  \
    inline S __hfma(S a, S b, S c) { return S((double)(float)a * (double)(float)b + (double)(float)c); } \
    inline S __hfma_sat(S a, S b, S c) { return lkt_saturated(__hfma(a, b, c)); }                 \
    inline S __hfma_relu(S a, S b, S c) { return lkt_rectified(__hfma(a, b, c)); }                \
    inline P __hfma2(P a, P b, P c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }    \
    inline P __hfma2_sat(P a, P b, P c) { return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)}; } \
    inline P __hfma2_relu(P a, P b, P c) { return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)}; } \
    inline P __hcmadd(P a, P b, P c) {                                                            \
        return {__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))}; \
    }                                                                                             \
    LKT_SIXTEEN_ORDER(S, P, eq, a == b) LKT_SIXTEEN_ORDER(S, P, ne, a != b)             \
    LKT_SIXTEEN_ORDER(S, P, lt, a < b) LKT_SIXTEEN_ORDER(S, P, le, a <= b)              \
    LKT_SIXTEEN_ORDER(S, P, gt, a > b) LKT_SIXTEEN_ORDER(S, P, ge, a >= b)              \
    LKT_SIXTEEN_OPERATOR(S, P, ==, eq) LKT_SIXTEEN_OPERATOR(S, P, !=, neu)                        \
    LKT_SIXTEEN_OPERATOR(S, P, <, lt) LKT_SIXTEEN_OPERATOR(S, P, <=, le)                          \
    LKT_SIXTEEN_OPERATOR(S, P, >, gt) LKT_SIXTEEN_OPERATOR(S, P, >=, ge)                          \
    inline bool __hisnan(S a) { return isnan((float)a); }                                         \
    inline P __hisnan2(P a) { return {S(__hisnan(a.x) ? 1.0f : 0.0f), S(__hisnan(a.y) ? 1.0f : 0.0f)}; } \
    inline int __hisinf(S a) { return isinf((float)a) ? (float)a < 0 ? -1 : 1 : 0; }              \
    inline S __hmax(S a, S b) { return S(fmaxf((float)a, (float)b)); }                            \
    inline S __hmin(S a, S b) { return S(fminf((float)a, (float)b)); }                            \
    inline S __hmax_nan(S a, S b) { return __hisnan(a) || __hisnan(b) ? lkt_of_bits<S>(0x7fff) : __hmax(a, b); } \
    inline S __hmin_nan(S a, S b) { return __hisnan(a) || __hisnan(b) ? lkt_of_bits<S>(0x7fff) : __hmin(a, b); } \
    inline P __hmax2(P a, P b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }                   \
    inline P __hmin2(P a, P b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }                   \
    inline P __hmax2_nan(P a, P b) { return {__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)}; }       \
    inline P __hmin2_nan(P a, P b) { return {__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)}; }       \
    LKT_SIXTEEN_UNARY(S, P, sqrt, sqrtf(a)) LKT_SIXTEEN_UNARY(S, P, rsqrt, 1 / sqrt((double)a))   \
    LKT_SIXTEEN_UNARY(S, P, rcp, 1 / a) LKT_SIXTEEN_UNARY(S, P, log, logf(a))                     \
    LKT_SIXTEEN_UNARY(S, P, log2, log2f(a)) LKT_SIXTEEN_UNARY(S, P, log10, log10f(a))             \
    LKT_SIXTEEN_UNARY(S, P, exp, expf(a)) LKT_SIXTEEN_UNARY(S, P, exp2, exp2f(a))                 \
    LKT_SIXTEEN_UNARY(S, P, exp10, exp10f(a)) LKT_SIXTEEN_UNARY(S, P, sin, sinf(a))               \
    LKT_SIXTEEN_UNARY(S, P, cos, cosf(a)) LKT_SIXTEEN_UNARY(S, P, tanh, tanhf(a))                 \
    LKT_SIXTEEN_UNARY(S, P, tanh_approx, tanhf(a)) LKT_SIXTEEN_UNARY(S, P, ceil, ceilf(a))        \
    LKT_SIXTEEN_UNARY(S, P, floor, floorf(a)) LKT_SIXTEEN_UNARY(S, P, trunc, truncf(a))           \
    LKT_SIXTEEN_UNARY(S, P, rint, rintf(a))                                                       \
    inline S __float2##n(float a) { return S(a); }                                                \
    inline S __float2##n##_rn(float a) { return S(a); }                                           \
    inline S __float2##n##_rz(float a) { return lkt_directed<S>(a, 0); }                          \
    inline S __float2##n##_rd(float a) { return lkt_directed<S>(a, 1); }                          \
    inline S __float2##n##_ru(float a) { return lkt_directed<S>(a, 2); }                          \
    inline S __double2##n(double a) { return S(a); }                                              \
    inline float __##n##2float(S a) { return a; }                                                 \
    LKT_SIXTEEN_INTEGER(S, n, int, int) LKT_SIXTEEN_INTEGER(S, n, unsigned, uint)                 \
    LKT_SIXTEEN_INTEGER(S, n, short, short) LKT_SIXTEEN_INTEGER(S, n, unsigned short, ushort)     \
    LKT_SIXTEEN_INTEGER(S, n, long long, ll) LKT_SIXTEEN_INTEGER(S, n, unsigned long long, ull)   \
    inline signed char __##n##2char_rz(S a) { return lkt_clamped<signed char>(truncf((float)a)); } \
    inline unsigned char __##n##2uchar_rz(S a) { return lkt_clamped<unsigned char>(truncf((float)a)); } \
    inline S __ushort_as_##n(unsigned short a) { return lkt_of_bits<S>(a); }                      \
    inline S __short_as_##n(short a) { return lkt_of_bits<S>((unsigned short)a); }                \
    inline unsigned short __##n##_as_ushort(S a) { return lkt_bits_of(a); }                       \
    inline short __##n##_as_short(S a) { return (short)lkt_bits_of(a); }                          \
    inline P make_##n2(S a, S b) { return {a, b}; }                                               \
    inline P __float2##n2##_rn(float a) { return {a, a}; }                                        \
    inline P __float22##n2##_rn(float2 a) { return {a.x, a.y}; }                                  \
    inline S __low2##n(P a) { return a.x; }                                                       \
    inline S __high2##n(P a) { return a.y; }                                                      \
    inline float __low2float(P a) { return a.x; }                                                 \
    inline float __high2float(P a) { return a.y; }                                                \
    inline P __low2##n2(P a) { return {a.x, a.x}; }                                               \
    inline P __high2##n2(P a) { return {a.y, a.y}; }                                              \
    inline P __lows2##n2(P a, P b) { return {a.x, b.x}; }                                         \
    inline P __highs2##n2(P a, P b) { return {a.y, b.y}; }                                        \
    inline P __lowhigh2highlow(P a) { return {a.y, a.x}; }                                        \
    inline S atomicAdd(S* p, S v) { return lkt_atomic_update(p, [v](S o) { return o + v; }); }    \
    inline P atomicAdd(P* p, P v) { return lkt_atomic_update(p, [v](P o) { return o + v; }); }
)lkt";

} // namespace lkt::host_detail
