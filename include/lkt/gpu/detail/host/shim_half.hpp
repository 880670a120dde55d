// SPDX-License-Identifier: BSL-1.0
// The text that a CUDA kernel is compiled behind, part 4: cuda_fp16.h and cuda_bf16.h.
#pragma once

#include <string_view>

namespace lkt::host_detail {

/// Arithmetic in half precision: each operation is rounded, as on a GPU.
inline constexpr std::string_view shim_half = R"lkt(
struct __half {
    _Float16 v;
    __half() = default;
    __half(float a) : v((_Float16)a) {}
    __half(double a) : v((_Float16)a) {}
    __half(int a) : v((_Float16)a) {}
    __half(unsigned a) : v((_Float16)a) {}
    operator float() const { return (float)v; }
    __half& operator+=(__half b) { v = (_Float16)((float)v + (float)b.v); return *this; }
    __half& operator-=(__half b) { v = (_Float16)((float)v - (float)b.v); return *this; }
    __half& operator*=(__half b) { v = (_Float16)((float)v * (float)b.v); return *this; }
    __half& operator/=(__half b) { v = (_Float16)((float)v / (float)b.v); return *this; }
};
typedef __half half;
struct __attribute__((aligned(4))) __half2 { __half x, y; };
typedef __half2 half2;
inline __half operator+(__half a, __half b) { return a += b; }
inline __half operator-(__half a, __half b) { return a -= b; }
inline __half operator*(__half a, __half b) { return a *= b; }
inline __half operator/(__half a, __half b) { return a /= b; }
inline __half operator-(__half a) { return __half(-(float)a); }
inline bool operator<(__half a, __half b) { return (float)a < (float)b; }
inline bool operator>(__half a, __half b) { return (float)a > (float)b; }
inline bool operator<=(__half a, __half b) { return (float)a <= (float)b; }
inline bool operator>=(__half a, __half b) { return (float)a >= (float)b; }
inline bool operator==(__half a, __half b) { return (float)a == (float)b; }
inline bool operator!=(__half a, __half b) { return (float)a != (float)b; }
inline __half __float2half(float a) { return __half(a); }
inline __half __float2half_rn(float a) { return __half(a); }
inline float __half2float(__half a) { return (float)a; }
inline __half __int2half_rn(int a) { return __half(a); }
inline int __half2int_rn(__half a) { return (int)rintf((float)a); }
inline __half __ushort_as_half(unsigned short a) { return __builtin_bit_cast(__half, a); }
inline unsigned short __half_as_ushort(__half a) { return __builtin_bit_cast(unsigned short, a); }
inline __half __hadd(__half a, __half b) { return a + b; }
inline __half __hsub(__half a, __half b) { return a - b; }
inline __half __hmul(__half a, __half b) { return a * b; }
inline __half __hdiv(__half a, __half b) { return a / b; }
inline __half __hneg(__half a) { return -a; }
inline __half __habs(__half a) { return __half(fabsf((float)a)); }
inline __half __hfma(__half a, __half b, __half c) { return __half(fma((double)(float)a, (double)(float)b, (double)(float)c)); }
inline __half __hmax(__half a, __half b) { return __half(fmaxf((float)a, (float)b)); }
inline __half __hmin(__half a, __half b) { return __half(fminf((float)a, (float)b)); }
inline bool __hlt(__half a, __half b) { return a < b; }
inline bool __hgt(__half a, __half b) { return a > b; }
inline bool __hle(__half a, __half b) { return a <= b; }
inline bool __hge(__half a, __half b) { return a >= b; }
inline bool __heq(__half a, __half b) { return a == b; }
inline bool __hne(__half a, __half b) { return a != b; }
inline bool __hisnan(__half a) { return isnan((float)a); }
inline __half hexp(__half a) { return __half(expf((float)a)); }
inline __half hlog(__half a) { return __half(logf((float)a)); }
inline __half hsqrt(__half a) { return __half(sqrtf((float)a)); }
inline __half hrsqrt(__half a) { return __half(rsqrtf((float)a)); }
inline __half2 make_half2(__half a, __half b) { return {a, b}; }
inline __half2 __halves2half2(__half a, __half b) { return {a, b}; }
inline __half2 __half2half2(__half a) { return {a, a}; }
inline __half2 __float2half2_rn(float a) { return {__half(a), __half(a)}; }
inline __half2 __floats2half2_rn(float a, float b) { return {__half(a), __half(b)}; }
inline __half2 __float22half2_rn(float2 a) { return {__half(a.x), __half(a.y)}; }
inline float2 __half22float2(__half2 a) { return {(float)a.x, (float)a.y}; }
inline __half __low2half(__half2 a) { return a.x; }
inline __half __high2half(__half2 a) { return a.y; }
inline float __low2float(__half2 a) { return (float)a.x; }
inline float __high2float(__half2 a) { return (float)a.y; }
inline __half2 __hadd2(__half2 a, __half2 b) { return {a.x + b.x, a.y + b.y}; }
inline __half2 __hsub2(__half2 a, __half2 b) { return {a.x - b.x, a.y - b.y}; }
inline __half2 __hmul2(__half2 a, __half2 b) { return {a.x * b.x, a.y * b.y}; }
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
inline __half2 operator+(__half2 a, __half2 b) { return __hadd2(a, b); }
inline __half2 operator-(__half2 a, __half2 b) { return __hsub2(a, b); }
inline __half2 operator*(__half2 a, __half2 b) { return __hmul2(a, b); }
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
    __nv_bfloat16(double a) : __nv_bfloat16((float)a) {}
    __nv_bfloat16(int a) : __nv_bfloat16((float)a) {}
    operator float() const { return __uint_as_float((unsigned)v << 16); }
    __nv_bfloat16& operator+=(__nv_bfloat16 b) { return *this = (float)*this + (float)b; }
    __nv_bfloat16& operator-=(__nv_bfloat16 b) { return *this = (float)*this - (float)b; }
    __nv_bfloat16& operator*=(__nv_bfloat16 b) { return *this = (float)*this * (float)b; }
    __nv_bfloat16& operator/=(__nv_bfloat16 b) { return *this = (float)*this / (float)b; }
};
struct __attribute__((aligned(4))) __nv_bfloat162 { __nv_bfloat16 x, y; };
inline __nv_bfloat16 operator+(__nv_bfloat16 a, __nv_bfloat16 b) { return a += b; }
inline __nv_bfloat16 operator-(__nv_bfloat16 a, __nv_bfloat16 b) { return a -= b; }
inline __nv_bfloat16 operator*(__nv_bfloat16 a, __nv_bfloat16 b) { return a *= b; }
inline __nv_bfloat16 operator/(__nv_bfloat16 a, __nv_bfloat16 b) { return a /= b; }
inline __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
inline __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
inline float __bfloat162float(__nv_bfloat16 a) { return (float)a; }
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {__nv_bfloat16(a), __nv_bfloat16(b)}; }
inline float2 __bfloat1622float2(__nv_bfloat162 a) { return {(float)a.x, (float)a.y}; }
)lkt";

} // namespace lkt::host_detail
