// SPDX-License-Identifier: BSL-1.0
// The text that a CUDA kernel is compiled behind, part 2: functions of one thread.
#pragma once

#include <string_view>

namespace lkt::host_detail {

inline constexpr std::string_view shim_math = R"lkt(
/* Functions of one, two and three floating values: name and nameF, and an overload for float. */
#define LKT_MATH1(n)                                                                              \
    inline float n##f(float a) { return __builtin_##n##f(a); }                                    \
    inline float n(float a) { return __builtin_##n##f(a); }                                       \
    inline double n(double a) { return __builtin_##n(a); }                                        \
    template <class T> requires lkt_integer<T> inline double n(T a) { return __builtin_##n((double)a); }
#define LKT_MATH2(n)                                                                              \
    inline float n##f(float a, float b) { return __builtin_##n##f(a, b); }                        \
    inline float n(float a, float b) { return __builtin_##n##f(a, b); }                           \
    inline double n(double a, double b) { return __builtin_##n(a, b); }                           \
    template <class A, class B> requires(lkt_integer<A> || lkt_integer<B> || !lkt_same<A, B>)     \
    inline double n(A a, B b) { return __builtin_##n((double)a, (double)b); }
template <class A, class B> inline constexpr bool lkt_same = false;
template <class A> inline constexpr bool lkt_same<A, A> = true;
template <class T> concept lkt_integer = lkt_same<T, char> || lkt_same<T, signed char> ||
    lkt_same<T, unsigned char> || lkt_same<T, short> || lkt_same<T, unsigned short> ||
    lkt_same<T, int> || lkt_same<T, unsigned> || lkt_same<T, long> || lkt_same<T, unsigned long> ||
    lkt_same<T, long long> || lkt_same<T, unsigned long long> || lkt_same<T, bool>;
template <class T> concept lkt_number = lkt_integer<T> || lkt_same<T, float> || lkt_same<T, double>;
LKT_MATH1(sin) LKT_MATH1(cos) LKT_MATH1(tan) LKT_MATH1(asin) LKT_MATH1(acos) LKT_MATH1(atan)
LKT_MATH1(sinh) LKT_MATH1(cosh) LKT_MATH1(tanh) LKT_MATH1(asinh) LKT_MATH1(acosh) LKT_MATH1(atanh)
LKT_MATH1(exp) LKT_MATH1(exp2) LKT_MATH1(expm1) LKT_MATH1(log) LKT_MATH1(log2)
LKT_MATH1(log10) LKT_MATH1(log1p) LKT_MATH1(logb) LKT_MATH1(sqrt) LKT_MATH1(cbrt) LKT_MATH1(fabs)
LKT_MATH1(floor) LKT_MATH1(ceil) LKT_MATH1(trunc) LKT_MATH1(round) LKT_MATH1(rint)
LKT_MATH1(nearbyint) LKT_MATH1(erf) LKT_MATH1(erfc) LKT_MATH1(tgamma) LKT_MATH1(lgamma)
LKT_MATH2(atan2) LKT_MATH2(pow) LKT_MATH2(fmod) LKT_MATH2(remainder) LKT_MATH2(hypot)
LKT_MATH2(copysign) LKT_MATH2(fdim) LKT_MATH2(fmax) LKT_MATH2(fmin) LKT_MATH2(nextafter)
#undef LKT_MATH1
#undef LKT_MATH2
inline float exp10f(float a) { return __builtin_powf(10.0f, a); }
inline float exp10(float a) { return __builtin_powf(10.0f, a); }
inline double exp10(double a) { return __builtin_pow(10.0, a); }
inline float powif(float a, int b) { return __builtin_powif(a, b); }
inline float pow(float a, int b) { return __builtin_powif(a, b); }
inline double pow(double a, int b) { return __builtin_powi(a, b); }
inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float ldexpf(float a, int e) { return __builtin_ldexpf(a, e); }
inline float ldexp(float a, int e) { return __builtin_ldexpf(a, e); }
inline double ldexp(double a, int e) { return __builtin_ldexp(a, e); }
inline float scalbnf(float a, int e) { return __builtin_scalbnf(a, e); }
inline double scalbn(double a, int e) { return __builtin_scalbn(a, e); }
inline float frexpf(float a, int* e) { return __builtin_frexpf(a, e); }
inline float frexp(float a, int* e) { return __builtin_frexpf(a, e); }
inline double frexp(double a, int* e) { return __builtin_frexp(a, e); }
inline float modff(float a, float* i) { return __builtin_modff(a, i); }
inline float modf(float a, float* i) { return __builtin_modff(a, i); }
inline double modf(double a, double* i) { return __builtin_modf(a, i); }
inline int ilogbf(float a) { return __builtin_ilogbf(a); }
inline int ilogb(double a) { return __builtin_ilogb(a); }
inline long lrintf(float a) { return __builtin_lrintf(a); }
inline long lrint(double a) { return __builtin_lrint(a); }
inline long lroundf(float a) { return __builtin_lroundf(a); }
inline long lround(double a) { return __builtin_lround(a); }
inline long long llrintf(float a) { return __builtin_llrintf(a); }
inline long long llrint(double a) { return __builtin_llrint(a); }
inline long long llroundf(float a) { return __builtin_llroundf(a); }
inline long long llround(double a) { return __builtin_llround(a); }
inline float rsqrtf(float a) { return 1.0f / __builtin_sqrtf(a); }
inline float rsqrt(float a) { return 1.0f / __builtin_sqrtf(a); }
inline double rsqrt(double a) { return 1.0 / __builtin_sqrt(a); }
inline float rcbrtf(float a) { return 1.0f / __builtin_cbrtf(a); }
inline double rcbrt(double a) { return 1.0 / __builtin_cbrt(a); }
inline void sincosf(float a, float* s, float* c) { *s = sinf(a); *c = cosf(a); }
inline void sincos(float a, float* s, float* c) { sincosf(a, s, c); }
inline void sincos(double a, double* s, double* c) { *s = sin(a); *c = cos(a); }
inline double sinpi(double a) { return sin(3.14159265358979323846 * fmod(a, 2.0)); }
inline double cospi(double a) { return cos(3.14159265358979323846 * fmod(a, 2.0)); }
inline float sinpif(float a) { return (float)sinpi((double)a); }
inline float cospif(float a) { return (float)cospi((double)a); }
inline void sincospif(float a, float* s, float* c) { *s = sinpif(a); *c = cospif(a); }
inline void sincospi(double a, double* s, double* c) { *s = sinpi(a); *c = cospi(a); }
inline float normcdff(float a) { return 0.5f * erfcf(a * -0.70710678118654752440f); }
inline double normcdf(double a) { return 0.5 * erfc(a * -0.70710678118654752440); }
inline float norm3df(float a, float b, float c) { return sqrtf(a * a + b * b + c * c); }
inline float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
inline double norm3d(double a, double b, double c) { return sqrt(a * a + b * b + c * c); }
inline float norm4df(float a, float b, float c, float d) { return sqrtf(a * a + b * b + c * c + d * d); }
inline float fdividef(float a, float b) { return a / b; }
inline float nanf(char const*) { return __builtin_nanf(""); }
inline double nan(char const*) { return __builtin_nan(""); }
template <class T> inline bool isnan(T a) { return __builtin_isnan(a); }
template <class T> inline bool isinf(T a) { return __builtin_isinf(a); }
template <class T> inline bool isfinite(T a) { return __builtin_isfinite(a); }
template <class T> inline bool signbit(T a) { return __builtin_signbit(a); }

/* What a device makes of numbers outside of an integer's range, and of shifts by more than there
   are bits. Where branches are watched, those here are not the kernel's. */
template <class T, class F> inline constexpr T lkt_saturated(F v) {
#if !defined(LKT_BRANCHES)
    constexpr int bits = 8 * sizeof(T);
    constexpr bool sign = (T)-1 < (T)0;
    constexpr F half = (F)(1ull << (bits - 2)) * 2, high = sign ? half : half * 2;
    constexpr T most = (T)(~0ull >> (64 - bits + (sign ? 1 : 0)));
    if (!(v == v)) return bits == 64 || sizeof(F) == 8 ? (T)(1ull << (bits - 1)) : (T)0;
    if (v >= high) return most;
    if (sign ? v < -half : v <= 0) return sign ? (T)(-most - 1) : (T)0;
#endif
    return (T)v;
}
template <class T, class F> inline constexpr T lkt_converted(F v) {
    if constexpr (!(lkt_same<F, float> || lkt_same<F, double>)) return (T)v;
    else if constexpr (sizeof(T) > 1) return lkt_saturated<T>(v);
    else if constexpr ((T)-1 < (T)0) return (T)lkt_saturated<short>(v);
    else return (T)lkt_saturated<unsigned short>(v);
}
template <class... T> struct lkt_into {}; /* the last one first */
template <class F> inline constexpr bool lkt_is_into = false;
template <class... T> inline constexpr bool lkt_is_into<lkt_into<T...>> = true;
template <class... T, class U> inline constexpr lkt_into<T..., U> operator->*(lkt_into<T...>, lkt_into<U>) { return {}; }
template <class T, class... U, class F> requires(!lkt_is_into<F>) inline constexpr T operator->*(lkt_into<T, U...>, F v) {
    if constexpr (sizeof...(U) == 0) return lkt_converted<T>(v);
    else return lkt_converted<T>(lkt_into<U...>()->*v);
}
struct lkt_by {};
template <class N> struct lkt_amount { N n; };
template <class N> inline constexpr auto operator->*(lkt_by, N n) {
    if constexpr (lkt_integer<N>) return lkt_amount<N>{n};
    else return n;
}
#define LKT_COUNTS(op)                                                                            \
    template <class N, class M> inline constexpr auto operator op(lkt_amount<N> a, M b) {          \
        return lkt_amount<decltype(a.n op b)>{a.n op b};                                           \
    }
LKT_COUNTS(+) LKT_COUNTS(-) LKT_COUNTS(*) LKT_COUNTS(/) LKT_COUNTS(%)
#undef LKT_COUNTS
template <class A, class N> inline constexpr auto operator<<(A a, lkt_amount<N> by) {
#if !defined(LKT_BRANCHES)
    if constexpr (lkt_integer<A>)
        return (unsigned long long)by.n >= 8 * sizeof(a + 0) ? (decltype(a + 0))0 : a << by.n;
    else
#endif
        return a << by.n;
}
template <class A, class N> inline constexpr auto operator>>(A a, lkt_amount<N> by) {
#if !defined(LKT_BRANCHES)
    if constexpr (lkt_integer<A>)
        return (unsigned long long)by.n >= 8 * sizeof(a + 0) ? (decltype(a + 0))(a < 0 ? -1 : 0) : a >> by.n;
    else
#endif
        return a >> by.n;
}
template <class A, class N> inline constexpr A& operator<<=(A& a, lkt_amount<N> by) { return a = (A)(a << by); }
template <class A, class N> inline constexpr A& operator>>=(A& a, lkt_amount<N> by) { return a = (A)(a >> by); }

inline constexpr int abs(int a) { return a < 0 ? -a : a; }
inline constexpr long abs(long a) { return a < 0 ? -a : a; }
inline constexpr long long abs(long long a) { return a < 0 ? -a : a; }
inline float abs(float a) { return __builtin_fabsf(a); }
inline double abs(double a) { return __builtin_fabs(a); }
inline constexpr long labs(long a) { return abs(a); }
inline constexpr long long llabs(long long a) { return abs(a); }
/* min and max of two numbers have the type of their sum, as the overloads of CUDA do. */
template <lkt_number A, lkt_number B> inline constexpr auto min(A a, B b) {
    using T = decltype(a + b);
    if constexpr (lkt_same<T, float>) return __builtin_fminf(a, b);
    else if constexpr (lkt_same<T, double>) return __builtin_fmin(a, b);
    else return (T)b < (T)a ? (T)b : (T)a;
}
template <lkt_number A, lkt_number B> inline constexpr auto max(A a, B b) {
    using T = decltype(a + b);
    if constexpr (lkt_same<T, float>) return __builtin_fmaxf(a, b);
    else if constexpr (lkt_same<T, double>) return __builtin_fmax(a, b);
    else return (T)a < (T)b ? (T)b : (T)a;
}
inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }
inline long long llmin(long long a, long long b) { return a < b ? a : b; }
inline long long llmax(long long a, long long b) { return a < b ? b : a; }

/* Fast intrinsics are the exact functions here, but for values that CUDA documents otherwise. What
   must be rounded once stays apart from its neighbours, or the compiler would contract a product
   and a sum. */
inline float lkt_alone(float a) {
#if defined(__x86_64__)
    __asm__("" : "+x"(a));
#elif defined(__aarch64__)
    __asm__("" : "+w"(a));
#endif
    return a;
}
inline double lkt_alone(double a) {
#if defined(__x86_64__)
    __asm__("" : "+x"(a));
#elif defined(__aarch64__)
    __asm__("" : "+w"(a));
#endif
    return a;
}
/* The fast ones by the formulas of a device, with errors as large as NVIDIA documents: a power of two
   of a rounded product, a logarithm with 22 bits behind the point, an angle as a rounded share of a
   turn, a hyperbolic tangent of 11 bits. */
inline float __log2f(float a) {
    float const l = log2f(a);
    return __builtin_fabsf(l) < 1 ? rintf(l * 0x1p22f) * 0x1p-22f : l;
}
inline float __expf(float a) { return exp2f(lkt_alone(a * 1.4426950408889634f)); }
inline float __exp10f(float a) { return exp2f(lkt_alone(a * 3.3219280948873623f)); }
inline float __logf(float a) { return __log2f(a) * 0.6931471805599453f; }
inline float __log10f(float a) { return __log2f(a) * 0.3010299956639812f; }
inline double lkt_turned(float a) {
    float const turns = lkt_alone(a * 0.15915494309189535f);
    return 6.283185307179586 * (double)(turns - rintf(turns));
}
inline float __sinf(float a) { return (float)sin(lkt_turned(a)); }
inline float __cosf(float a) { return (float)cos(lkt_turned(a)); }
inline void __sincosf(float a, float* s, float* c) { *s = __sinf(a), *c = __cosf(a); }
inline float __powf(float a, float b) { return exp2f(lkt_alone(b * __log2f(a))); } /* NaN below 0 */
inline float __tanhf(float a) {
    float const t = tanhf(a), high = lkt_alone(t * 8193.0f);
    return high - lkt_alone(high - t);
}
inline float __fdividef(float a, float b) {
    float const size = __builtin_fabsf(b); /* above 2^126, a is multiplied by a reciprocal that is 0 */
    return size > 0x1p126f && size < __builtin_inff() ? a * __builtin_copysignf(0.0f, b) : a / b;
}
inline float __tanf(float a) { return __fdividef(__sinf(a), __cosf(a)); }
inline float __saturatef(float a) { return a > 0 ? (a < 1 ? a : 1.0f) : 0.0f; }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline float __fsqrt_rn(float a) { return sqrtf(a); }
inline float __frsqrt_rn(float a) { return rsqrtf(a); }
inline float __fadd_rn(float a, float b) { return lkt_alone(a + b); }
inline float __fsub_rn(float a, float b) { return lkt_alone(a - b); }
inline float __fmul_rn(float a, float b) { return lkt_alone(a * b); }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
/* The float on one side of `v + rest`, of which `v` is the nearest double: -1 below, 1 above, 0 towards zero. */
inline float lkt_directed(int side, double v, double rest) {
    float const f = (float)v;
    double const off = (double)f - v;
    if (side == 0) side = v > 0 ? -1 : 1;
    bool const above = off > 0 || (off == 0 && rest < 0), below = off < 0 || (off == 0 && rest > 0);
    if (side < 0 ? !above : !below) return f;
    if (f == 0) return __builtin_bit_cast(float, side < 0 ? 0x80000001u : 1u);
    unsigned const bits = __builtin_bit_cast(unsigned, f);
    return __builtin_bit_cast(float, (f > 0) == (side > 0) ? bits + 1 : bits - 1);
}
inline float lkt_directed_sum(int side, double a, double b) {
    double const v = lkt_alone(a + b), of_b = lkt_alone(v - a);
    return lkt_directed(side, v, lkt_alone(a - lkt_alone(v - of_b)) + lkt_alone(b - of_b));
}
#define LKT_DIRECTED(suffix, side)                                                                \
    inline float __fadd_##suffix(float a, float b) { return lkt_directed_sum(side, a, b); }       \
    inline float __fsub_##suffix(float a, float b) { return lkt_directed_sum(side, a, -b); }      \
    inline float __fmul_##suffix(float a, float b) { return lkt_directed(side, (double)a * b, 0); } \
    inline float __fmaf_##suffix(float a, float b, float c) { return lkt_directed_sum(side, (double)a * b, c); } \
    inline float __double2float_##suffix(double a) { return lkt_directed(side, a, 0); }
LKT_DIRECTED(rd, -1) LKT_DIRECTED(ru, 1) LKT_DIRECTED(rz, 0)
#undef LKT_DIRECTED
inline double __dadd_rn(double a, double b) { return lkt_alone(a + b); }
inline double __dsub_rn(double a, double b) { return lkt_alone(a - b); }
inline double __dmul_rn(double a, double b) { return lkt_alone(a * b); }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double a) { return sqrt(a); }
inline double __drcp_rn(double a) { return 1.0 / a; }
inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }

inline int __popc(unsigned a) { return __builtin_popcount(a); }
inline int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
inline int __clz(int a) { return a == 0 ? 32 : __builtin_clz((unsigned)a); }
inline int __clzll(long long a) { return a == 0 ? 64 : __builtin_clzll((unsigned long long)a); }
inline int __ffs(int a) { return __builtin_ffs(a); }
inline int __ffsll(long long a) { return __builtin_ffsll(a); }
inline unsigned __brev(unsigned a) {
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(a);
}
inline unsigned long long __brevll(unsigned long long a) {
    return (unsigned long long)__brev((unsigned)a) << 32 | __brev((unsigned)(a >> 32));
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
    unsigned long long both = (unsigned long long)y << 32 | x;
    unsigned r = 0;
    for (int i = 0; i < 4; ++i) r |= (unsigned)(both >> (s >> 4 * i & 7) * 8 & 0xff) << 8 * i;
    return r;
}
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s) {
    return (unsigned)((((unsigned long long)hi << 32 | lo) << (s & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s) {
    return (unsigned)(((unsigned long long)hi << 32 | lo) >> (s & 31));
}
inline int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline unsigned __sad(int a, int b, unsigned c) { return c + (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b); }
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a < b ? b - a : a - b); }
inline int __dp4a(int a, int b, int c) {
    for (int i = 0; i < 32; i += 8) c += (int)(signed char)(a >> i) * (signed char)(b >> i);
    return c;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int i = 0; i < 32; i += 8) c += (a >> i & 0xff) * (b >> i & 0xff);
    return c;
}
inline int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
inline unsigned __float_as_uint(float a) { return __builtin_bit_cast(unsigned, a); }
inline float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
inline float __uint_as_float(unsigned a) { return __builtin_bit_cast(float, a); }
inline long long __double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
inline double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
inline int __double2hiint(double a) { return (int)(__double_as_longlong(a) >> 32); }
inline int __double2loint(double a) { return (int)__double_as_longlong(a); }
inline double __hiloint2double(int hi, int lo) {
    return __longlong_as_double((long long)((unsigned long long)(unsigned)hi << 32 | (unsigned)lo));
}
/* A value outside the range of the integer is clamped, and NaN is 0, as on a GPU. */
template <class I, class F> inline I lkt_convert(F a) {
    constexpr bool is_signed = (I)-1 < (I)0;
    constexpr int bits = 8 * sizeof(I) - is_signed;
    F const above = bits < 63 ? (F)(1ull << bits % 64) : bits == 63 ? (F)9223372036854775808.0 : (F)18446744073709551616.0;
    constexpr I least = is_signed ? (I)((I)1 << (8 * sizeof(I) - 1) % 64) : (I)0;
    if (a != a) return 0;
    if (a >= above) return (I)~least;
    if (is_signed ? a < -above : a <= (F)-1) return least;
    return (I)a;
}
#define LKT_TO_INTEGER(F, f, I, i)                                                                \
    inline I __##f##2##i##_rz(F a) { return lkt_convert<I>(trunc(a)); }                           \
    inline I __##f##2##i##_rn(F a) { return lkt_convert<I>(rint(a)); }                            \
    inline I __##f##2##i##_rd(F a) { return lkt_convert<I>(floor(a)); }                           \
    inline I __##f##2##i##_ru(F a) { return lkt_convert<I>(ceil(a)); }                            \
    inline F __##i##2##f##_rn(I a) { return (F)a; }
LKT_TO_INTEGER(float, float, int, int)
LKT_TO_INTEGER(float, float, unsigned, uint)
LKT_TO_INTEGER(float, float, long long, ll)
LKT_TO_INTEGER(float, float, unsigned long long, ull)
LKT_TO_INTEGER(double, double, int, int)
LKT_TO_INTEGER(double, double, unsigned, uint)
LKT_TO_INTEGER(double, double, long long, ll)
LKT_TO_INTEGER(double, double, unsigned long long, ull)
#undef LKT_TO_INTEGER
inline double __int2double_rn(long a) { return (double)a; }
inline float __double2float_rn(double a) { return (float)a; }
)lkt";

} // namespace lkt::host_detail
