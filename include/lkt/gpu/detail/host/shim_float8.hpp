// SPDX-License-Identifier: BSL-1.0
// The text that a CUDA kernel is compiled behind, part 9: cuda_fp8.h and cuda_fp4.h.
#pragma once

#include <string_view>

namespace lkt::host_detail {

/// The types, their pairs and fours, and the conversions. As in CUDA, no conversion is implicit,
/// a constructor makes what is too large the largest value, and there is no arithmetic. Each value
/// is rounded once, from double, which holds all that is converted.
inline constexpr std::string_view shim_float8 = R"lkt(
#define LKT_FLOAT8
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
inline unsigned char __nv_cvt_double_to_fp8(double a, __nv_saturation_t how, __nv_fp8_interpretation_t type) {
    int const fraction = type == __NV_E4M3 ? 3 : 2, bias = type == __NV_E4M3 ? 7 : 15;
    unsigned const most = type == __NV_E4M3 ? 0x7e : 0x7b, beyond = most + 1;
    unsigned const sign = signbit(a) ? 0x80 : 0;
    if (a != a) return 0x7f;
    double const size = fabs(a);
    unsigned bits = beyond;
    if (size < 0x1p17) {
        int const least = 1 - bias, own = size > 0 ? ilogb(size) : least;
        int const exponent = own > least ? own : least;
        /* A carry out of the fraction lands in the exponent. */
        bits = (unsigned)rint(ldexp(size, fraction - exponent)) + ((unsigned)(exponent - least) << fraction);
    }
    if (bits > most) bits = how == __NV_SATFINITE ? most : beyond;
    return (unsigned char)(sign | bits);
}
inline float lkt_of_fp8(unsigned char x, __nv_fp8_interpretation_t type) {
    bool const e4m3 = type == __NV_E4M3;
    unsigned const sign = (x & 0x80u) << 24, size = x & 0x7fu;
    if (e4m3 ? size == 0x7f : size > 0x7c) return __uint_as_float(sign | 0x7fc00000u);
    if (!e4m3 && size == 0x7c) return __uint_as_float(sign | 0x7f800000u);
    /* A float with the same exponent, times the distance of the biases; subnormal ones, too. */
    float const value = __uint_as_float(size << (e4m3 ? 20 : 21)) * (e4m3 ? 0x1p120f : 0x1p112f);
    return __uint_as_float(sign | __float_as_uint(value));
}
inline unsigned short lkt_fp8_pair(double a, double b, __nv_saturation_t how, __nv_fp8_interpretation_t type) {
    return (unsigned short)(__nv_cvt_double_to_fp8(a, how, type) | __nv_cvt_double_to_fp8(b, how, type) << 8);
}
#define LKT_FP8_FROM(name, pair, S, P)                                                            \
    inline unsigned char __nv_cvt_##name##_to_fp8(S a, __nv_saturation_t how, __nv_fp8_interpretation_t type) { \
        return __nv_cvt_double_to_fp8((double)(float)a, how, type);                               \
    }                                                                                             \
    inline unsigned short __nv_cvt_##pair##_to_fp8x2(P a, __nv_saturation_t how, __nv_fp8_interpretation_t type) { \
        return lkt_fp8_pair((double)(float)a.x, (double)(float)a.y, how, type);                   \
    }
inline unsigned short __nv_cvt_double2_to_fp8x2(double2 a, __nv_saturation_t how, __nv_fp8_interpretation_t type) {
    return lkt_fp8_pair(a.x, a.y, how, type);
}
LKT_FP8_FROM(float, float2, float, float2)
LKT_FP8_FROM(halfraw, halfraw2, __half, __half2)
LKT_FP8_FROM(bfloat16raw, bfloat16raw2, __nv_bfloat16, __nv_bfloat162)
#undef LKT_FP8_FROM
inline __half_raw __nv_cvt_fp8_to_halfraw(unsigned char x, __nv_fp8_interpretation_t type) {
    return __half(lkt_of_fp8(x, type));
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(unsigned short x, __nv_fp8_interpretation_t type) {
    return {__nv_cvt_fp8_to_halfraw(x & 0xff, type).x, __nv_cvt_fp8_to_halfraw(x >> 8, type).x};
}
template <__nv_fp8_interpretation_t Type> struct lkt_fp8 {
    __nv_fp8_storage_t __x;
    lkt_fp8() = default;
    template <class T> requires lkt_number<T> explicit lkt_fp8(T a)
        : __x(__nv_cvt_double_to_fp8((double)a, __NV_SATFINITE, Type)) {}
    explicit lkt_fp8(__half a) : lkt_fp8((float)a) {}
    explicit lkt_fp8(__nv_bfloat16 a) : lkt_fp8((float)a) {}
    explicit operator float() const { return lkt_of_fp8(__x, Type); }
    explicit operator double() const { return lkt_of_fp8(__x, Type); }
    explicit operator __half() const { return (float)*this; }
    explicit operator __nv_bfloat16() const { return (float)*this; }
    template <lkt_integer T> explicit operator T() const {
        if constexpr (lkt_same<T, bool>) return (__x & 0x7f) != 0;
        else return lkt_clamped<T>(truncf((float)*this));
    }
};
template <__nv_fp8_interpretation_t Type> struct lkt_fp8x2 {
    __nv_fp8x2_storage_t __x;
    lkt_fp8x2() = default;
    explicit lkt_fp8x2(double2 a) : __x(lkt_fp8_pair(a.x, a.y, __NV_SATFINITE, Type)) {}
    explicit lkt_fp8x2(float2 a) : lkt_fp8x2(double2{a.x, a.y}) {}
    explicit lkt_fp8x2(__half2 a) : lkt_fp8x2(float2{a.x, a.y}) {}
    explicit lkt_fp8x2(__nv_bfloat162 a) : lkt_fp8x2(float2{a.x, a.y}) {}
    explicit operator float2() const {
        return {lkt_of_fp8(__x & 0xff, Type), lkt_of_fp8(__x >> 8, Type)};
    }
    explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, Type)); }
};
template <__nv_fp8_interpretation_t Type> struct lkt_fp8x4 {
    __nv_fp8x4_storage_t __x;
    lkt_fp8x4() = default;
    explicit lkt_fp8x4(double4 a)
        : __x(lkt_fp8_pair(a.x, a.y, __NV_SATFINITE, Type) |
              (unsigned)lkt_fp8_pair(a.z, a.w, __NV_SATFINITE, Type) << 16) {}
    explicit lkt_fp8x4(float4 a) : lkt_fp8x4(double4{a.x, a.y, a.z, a.w}) {}
    explicit lkt_fp8x4(__half2 a, __half2 b) : lkt_fp8x4(float4{a.x, a.y, b.x, b.y}) {}
    explicit lkt_fp8x4(__nv_bfloat162 a, __nv_bfloat162 b) : lkt_fp8x4(float4{a.x, a.y, b.x, b.y}) {}
    explicit operator float4() const {
        return {lkt_of_fp8(__x & 0xff, Type), lkt_of_fp8(__x >> 8 & 0xff, Type),
                lkt_of_fp8(__x >> 16 & 0xff, Type), lkt_of_fp8(__x >> 24, Type)};
    }
};
typedef lkt_fp8<__NV_E4M3> __nv_fp8_e4m3;
typedef lkt_fp8<__NV_E5M2> __nv_fp8_e5m2;
typedef lkt_fp8x2<__NV_E4M3> __nv_fp8x2_e4m3;
typedef lkt_fp8x2<__NV_E5M2> __nv_fp8x2_e5m2;
typedef lkt_fp8x4<__NV_E4M3> __nv_fp8x4_e4m3;
typedef lkt_fp8x4<__NV_E5M2> __nv_fp8x4_e5m2;

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;
enum __nv_fp4_interpretation_t { __NV_E2M1 };
enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
inline unsigned char __nv_cvt_double_to_fp4(double a, __nv_fp4_interpretation_t, cudaRoundMode how) {
    if (a != a) return 7;
    double const size = fabs(a), step = size < 2 ? 0.5 : size < 4 ? 1 : 2;
    /* In steps from 0, 2 or 4, whose numbers are 0, 4 and 6. */
    double const in_steps = (size < 6 ? size : 6) / step;
    unsigned const whole = (unsigned)(how == cudaRoundZero ? trunc(in_steps) : rint(in_steps));
    return (unsigned char)((signbit(a) ? 8 : 0) | (step == 0.5 ? whole : step == 1 ? whole + 2 : whole + 4));
}
inline float lkt_of_fp4(unsigned x) {
    unsigned const size = x & 7;
    float const value = size < 4 ? 0.5f * (float)size : size == 7 ? 6.0f : (float)(size - 2);
    return x & 8 ? -value : value;
}
inline unsigned char __nv_cvt_double2_to_fp4x2(double2 a, __nv_fp4_interpretation_t t, cudaRoundMode how) {
    return (unsigned char)(__nv_cvt_double_to_fp4(a.x, t, how) | __nv_cvt_double_to_fp4(a.y, t, how) << 4);
}
#define LKT_FP4_FROM(name, pair, S, P)                                                            \
    inline unsigned char __nv_cvt_##name##_to_fp4(S a, __nv_fp4_interpretation_t t, cudaRoundMode how) { \
        return __nv_cvt_double_to_fp4((double)(float)a, t, how);                                  \
    }                                                                                             \
    inline unsigned char __nv_cvt_##pair##_to_fp4x2(P a, __nv_fp4_interpretation_t t, cudaRoundMode how) { \
        return __nv_cvt_double2_to_fp4x2(double2{(double)(float)a.x, (double)(float)a.y}, t, how); \
    }
LKT_FP4_FROM(float, float2, float, float2)
LKT_FP4_FROM(halfraw, halfraw2, __half, __half2)
LKT_FP4_FROM(bfloat16raw, bfloat16raw2, __nv_bfloat16, __nv_bfloat162)
#undef LKT_FP4_FROM
inline __half_raw __nv_cvt_fp4_to_halfraw(unsigned char x, __nv_fp4_interpretation_t) { return __half(lkt_of_fp4(x)); }
inline __half2_raw __nv_cvt_fp4x2_to_halfraw2(unsigned char x, __nv_fp4_interpretation_t) {
    return {__half_raw(__half(lkt_of_fp4(x))).x, __half_raw(__half(lkt_of_fp4(x >> 4))).x};
}
struct __nv_fp4_e2m1 {
    __nv_fp4_storage_t __x;
    __nv_fp4_e2m1() = default;
    template <class T> requires lkt_number<T> explicit __nv_fp4_e2m1(T a)
        : __x(__nv_cvt_double_to_fp4((double)a, __NV_E2M1, cudaRoundNearest)) {}
    explicit __nv_fp4_e2m1(__half a) : __nv_fp4_e2m1((float)a) {}
    explicit __nv_fp4_e2m1(__nv_bfloat16 a) : __nv_fp4_e2m1((float)a) {}
    explicit operator float() const { return lkt_of_fp4(__x); }
    explicit operator double() const { return lkt_of_fp4(__x); }
    explicit operator __half() const { return (float)*this; }
    explicit operator __nv_bfloat16() const { return (float)*this; }
    template <lkt_integer T> explicit operator T() const {
        if constexpr (lkt_same<T, bool>) return (__x & 7) != 0;
        else return lkt_clamped<T>(truncf((float)*this));
    }
};
struct __nv_fp4x2_e2m1 {
    __nv_fp4x2_storage_t __x;
    __nv_fp4x2_e2m1() = default;
    explicit __nv_fp4x2_e2m1(double2 a) : __x(__nv_cvt_double2_to_fp4x2(a, __NV_E2M1, cudaRoundNearest)) {}
    explicit __nv_fp4x2_e2m1(float2 a) : __nv_fp4x2_e2m1(double2{a.x, a.y}) {}
    explicit __nv_fp4x2_e2m1(__half2 a) : __nv_fp4x2_e2m1(float2{a.x, a.y}) {}
    explicit __nv_fp4x2_e2m1(__nv_bfloat162 a) : __nv_fp4x2_e2m1(float2{a.x, a.y}) {}
    explicit operator float2() const { return {lkt_of_fp4(__x), lkt_of_fp4(__x >> 4)}; }
    explicit operator __half2() const { return __half2(__nv_cvt_fp4x2_to_halfraw2(__x, __NV_E2M1)); }
};
struct __nv_fp4x4_e2m1 {
    __nv_fp4x4_storage_t __x;
    __nv_fp4x4_e2m1() = default;
    explicit __nv_fp4x4_e2m1(double4 a)
        : __x((unsigned short)(__nv_fp4x2_e2m1(double2{a.x, a.y}).__x | __nv_fp4x2_e2m1(double2{a.z, a.w}).__x << 8)) {}
    explicit __nv_fp4x4_e2m1(float4 a) : __nv_fp4x4_e2m1(double4{a.x, a.y, a.z, a.w}) {}
    explicit __nv_fp4x4_e2m1(__half2 a, __half2 b) : __nv_fp4x4_e2m1(float4{a.x, a.y, b.x, b.y}) {}
    explicit __nv_fp4x4_e2m1(__nv_bfloat162 a, __nv_bfloat162 b) : __nv_fp4x4_e2m1(float4{a.x, a.y, b.x, b.y}) {}
    explicit operator float4() const {
        return {lkt_of_fp4(__x), lkt_of_fp4(__x >> 4), lkt_of_fp4(__x >> 8), lkt_of_fp4(__x >> 12)};
    }
};
)lkt";

} // namespace lkt::host_detail
