// SPDX-License-Identifier: BSL-1.0
// The text that a CUDA kernel is compiled behind, part 1: words, vector types, index variables.
#pragma once

#include <string_view>

namespace lkt::host_detail {

/// Plain C++ of the compiler alone: it includes nothing, so kernels compile with -nostdinc.
inline constexpr std::string_view shim_core = R"lkt(
typedef decltype(sizeof 0) size_t;
typedef decltype((char*)0 - (char*)0) ptrdiff_t;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#undef linux
#undef unix
#undef i386
#if defined(LKT_BRANCHES) /* each place of the text once */
#define __global__
#define __forceinline__ inline
#else
#define __global__ __attribute__((always_inline))
#define __forceinline__ __attribute__((always_inline))
#endif
#define __device__
#define __host__
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define NULL 0

#define LKT_VECTOR(T, N)                                                                          \
    struct N##1 { T x; };                                                                         \
    struct __attribute__((aligned(2 * sizeof(T)))) N##2 { T x, y; };                              \
    struct N##3 { T x, y, z; };                                                                   \
    struct __attribute__((aligned(sizeof(T) < 8 ? 4 * sizeof(T) : 16))) N##4 { T x, y, z, w; };   \
    inline constexpr N##1 make_##N##1(T x) { return {x}; }                                        \
    inline constexpr N##2 make_##N##2(T x, T y) { return {x, y}; }                                \
    inline constexpr N##3 make_##N##3(T x, T y, T z) { return {x, y, z}; }                        \
    inline constexpr N##4 make_##N##4(T x, T y, T z, T w) { return {x, y, z, w}; }
LKT_VECTOR(signed char, char)
LKT_VECTOR(unsigned char, uchar)
LKT_VECTOR(short, short)
LKT_VECTOR(unsigned short, ushort)
LKT_VECTOR(int, int)
LKT_VECTOR(unsigned int, uint)
LKT_VECTOR(long, long)
LKT_VECTOR(unsigned long, ulong)
LKT_VECTOR(long long, longlong)
LKT_VECTOR(unsigned long long, ulonglong)
LKT_VECTOR(float, float)
LKT_VECTOR(double, double)
#undef LKT_VECTOR

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

/* Nothing takes their addresses, so no store through a pointer can change them: that is what lets
   the compiler keep them in registers and vectorise the loop over threadIdx.x. */
static thread_local uint3 threadIdx, blockIdx;
static uint3 blockDim, gridDim; /* no dim3: a constructor would take their addresses */
#if !defined(LKT_LANES)
#define LKT_LANES 32
#endif
static constexpr int warpSize = LKT_LANES;
static thread_local char* lkt_dynamic;
static unsigned lkt_dynamic_bytes;

/* What the process that runs the kernel offers to it; filled in before the first launch. */
struct lkt_calls {
    int (*sync)(int what, int predicate, int line);
    unsigned long long (*warp)(int what, unsigned long long mask, unsigned long long value, unsigned a,
                               unsigned width, int line);
    void (*access)(void const* p, unsigned size, unsigned kind, void const* code);
    unsigned long long const* bytes; /* of each buffer among the arguments */
    unsigned subgroup;               /* threads of one, in a translation of WGSL */
    unsigned otherwise;              /* what WGSL leaves open, and is chosen the other way */
    unsigned* met;                   /* takes what of that was met */
    void (*compare)(unsigned type, unsigned long long left, unsigned long long right, void const* code);
    void (*misused)(char const* why, int line);
    unsigned* converted; /* takes the line of a conversion that devices make otherwise */
};
static lkt_calls lkt_host;
/* Ends the run. */
__attribute__((noinline, no_sanitize("thread"))) static void lkt_fail(char const* why, int line) {
    lkt_host.misused(why, line);
    __builtin_trap();
}
#if defined(LKT_BOUNDS)
/* Called before a number outside of an integer's range is converted. */
extern "C" void lkt_converts(void* data, unsigned long) __asm__("__ubsan_handle_float_cast_overflow");
extern "C" __attribute__((used, no_sanitize("address", "undefined"))) void
lkt_converts(void* data, unsigned long) {
    struct place {
        char const* file;
        unsigned line, column;
    };
    place const at = *(place*)data;
    if (at.file == nullptr || *lkt_host.converted != 0) return;
    char const own[] = "kernel"; /* not what the shim converts */
    for (unsigned k = 0; k < sizeof own; ++k)
        if (at.file[k] != own[k]) return;
    *lkt_host.converted = at.line;
}
#endif
#if defined(LKT_RACES)
extern "C" void (*lkt_access)(void const* p, unsigned size, unsigned kind, void const* code);
void (*lkt_access)(void const* p, unsigned size, unsigned kind, void const* code);
/* Other threads may run meanwhile. */
__attribute__((no_sanitize("thread"))) static void
lkt_accessed(void const* p, unsigned size, unsigned kind, void const* code) {
    uint3 const mine = threadIdx;
    lkt_host.access(p, size, kind, code);
    threadIdx = mine;
}
#endif

/* `extern __shared__ T name[]` of namespace scope; in a function it is a plain pointer. */
template <class A> struct lkt_dynamic_array;
template <class T> struct lkt_dynamic_array<T[]> {
    T* data() const { return (T*)lkt_dynamic; }
    operator T*() const { return data(); }
};
/* What an array would be where its address is wanted. */
template <class T> T* lkt_decayed(lkt_dynamic_array<T[]> const& a) { return a.data(); }
template <class T> T& lkt_decayed(T& a) { return a; }

/* Behind the declaration of a local that nothing initialises, in one of the checked builds. */
template <class T> [[gnu::always_inline]] inline constexpr void lkt_unwritten(T& local) {
    if (!__builtin_is_constant_evaluated())
        if constexpr (__is_trivially_constructible(T))
            __builtin_memset((void*)&local, 255, sizeof local);
}

#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define DBL_MAX __DBL_MAX__
#define DBL_MIN __DBL_MIN__
#define DBL_EPSILON __DBL_EPSILON__
#define CHAR_BIT 8
#define SCHAR_MAX 127
#define SCHAR_MIN (-128)
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define SHRT_MIN (-32768)
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295U
#define LONG_MAX 9223372036854775807L
#define LONG_MIN (-9223372036854775807L - 1)
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MAX 9223372036854775807LL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define ULLONG_MAX 18446744073709551615ULL
#define INT8_MAX 127
#define INT8_MIN (-128)
#define UINT8_MAX 255
#define INT16_MAX 32767
#define INT16_MIN (-32768)
#define UINT16_MAX 65535
#define INT32_MAX INT_MAX
#define INT32_MIN INT_MIN
#define UINT32_MAX UINT_MAX
#define INT64_MAX LONG_MAX
#define INT64_MIN LONG_MIN
#define UINT64_MAX ULONG_MAX
#define SIZE_MAX ULONG_MAX
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VALF __builtin_inff()
#define HUGE_VAL __builtin_inf()
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define CUDART_INF_F __builtin_inff()
#define CUDART_INF __builtin_inf()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_NAN __builtin_nan("")
#define CUDART_MAX_NORMAL_F 3.402823466e38f
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931e+0
#define CUDART_SQRT_TWO_F 1.414213562f
#define CUDART_L2E_F 1.442695041f
#define CUDART_LN2_F 0.693147181f

#define assert(condition) ((condition) ? (void)0 : __builtin_trap())
#define __trap() __builtin_trap()
#define __brkpt() __builtin_trap()
#define __nanosleep(ns) ((void)(ns))
#define __threadfence() __atomic_thread_fence(5)
#define __threadfence_block() __atomic_thread_fence(4)
#define __threadfence_system() __atomic_thread_fence(5)
#define __assume(x) ((void)((x) ? 0 : (__builtin_unreachable(), 0)))
/* Kernels may print; nobody reads it. */
template <class... A> inline int printf(char const*, A const&...) { return 0; }
inline void* memcpy(void* to, void const* from, size_t n) { return __builtin_memcpy(to, from, n); }
inline void* memmove(void* to, void const* from, size_t n) { return __builtin_memmove(to, from, n); }
inline void* memset(void* to, int c, size_t n) { return __builtin_memset(to, c, n); }
template <class T> inline T __ldg(T const* p) { return *p; }
template <class T> inline T __ldcg(T const* p) { return *p; }
template <class T> inline T __ldca(T const* p) { return *p; }
template <class T> inline T __ldcs(T const* p) { return *p; }
template <class T> inline T __ldlu(T const* p) { return *p; }
template <class T> inline T __ldcv(T const* p) { return *(T const volatile*)p; }
template <class T> inline void __stwb(T* p, T v) { *p = v; }
template <class T> inline void __stcg(T* p, T v) { *p = v; }
template <class T> inline void __stcs(T* p, T v) { *p = v; }
template <class T> inline void __stwt(T* p, T v) { *p = v; }
)lkt";

} // namespace lkt::host_detail
