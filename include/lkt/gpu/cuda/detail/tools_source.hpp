// SPDX-License-Identifier: BSL-1.0
// The kernels that the CUDA back end itself launches around those of a candidate.
#pragma once

namespace lkt::cuda_detail {

inline constexpr char const* tools_source = R"cuda(
using u32 = unsigned int;
using u64 = unsigned long long;

__device__ inline u64 mixed(u64 x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

// Fills `bytes` bytes with a pattern that depends on `key`. The pointer is aligned to 8.
extern "C" __global__ void lkt_poison(unsigned char* to, u64 bytes, u64 key) {
    u64 const stride = (u64)gridDim.x * blockDim.x, words = bytes / 8;
    u64 const first = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    for (u64 i = first; i < words; i += stride) ((u64*)to)[i] = mixed(key + i);
    if (first < bytes % 8) to[words * 8 + first] = (unsigned char)(mixed(key + words) >> (8 * first));
}

// Counts the bytes among `bytes` that lkt_poison with the same key would not have left.
extern "C" __global__ void lkt_disturbed(unsigned char const* at, u64 bytes, u64 key, u64* count) {
    u64 const stride = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < bytes; i += stride)
        if (at[i] != (unsigned char)(mixed(key + i / 8) >> (8 * (i % 8)))) atomicAdd(count, 1ull);
}

// Adds a number to `sum` that depends on every one of `bytes` bytes and on where it stands. The
// pointer is aligned to 8.
extern "C" __global__ void lkt_digest(unsigned char const* at, u64 bytes, u64* sum) {
    u64 const stride = (u64)gridDim.x * blockDim.x, words = bytes / 8;
    u64 const first = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    u64 mine = 0;
    for (u64 i = first; i < words; i += stride) mine += mixed(((u64 const*)at)[i] ^ mixed(i));
    if (first < bytes % 8) mine += mixed(at[words * 8 + first] ^ mixed(words + first));
    for (int k = 16; k > 0; k /= 2) mine += __shfl_down_sync(0xffffffffu, mine, k);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

// Fills the shared memory of the multiprocessor that it runs on.
extern "C" __global__ void lkt_scrub(u32 words, u64 key) {
    extern __shared__ u32 shared[];
    for (u32 i = threadIdx.x; i < words; i += blockDim.x)
        ((u32 volatile*)shared)[i] = (u32)mixed(key + i);
}

__device__ inline u64 nanoseconds() {
    u64 t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

// Occupies the stream until the flag is set, so that what is queued behind starts back to back.
extern "C" __global__ void lkt_hold(u32 const volatile* flag, u64 limit) {
    u64 const begin = nanoseconds();
    while (*flag == 0 && nanoseconds() - begin < limit) {}
}

// Time and SM clock, both read on the first multiprocessor.
extern "C" __global__ void lkt_stamp(u64 volatile* to) {
    u32 sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (sm != 0) return;
    u64 clock;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock));
    to[0] = nanoseconds();
    to[1] = clock;
}

__device__ inline double number(float x) { return x; }
__device__ inline double number(double x) { return x; }
struct half16 { unsigned short bits; };
struct brain16 { unsigned short bits; };
__device__ inline double number(half16 x) {
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(x.bits));
    return f;
}
__device__ inline double number(brain16 x) { return __uint_as_float((u32)x.bits << 16); }

// lkt::within, operation for operation: no contraction.
__device__ inline bool within(double expected, double got, double relative, double absolute) {
    if (isnan(expected) || isnan(got)) return isnan(expected) && isnan(got);
    if (isinf(expected) || isinf(got)) return expected == got;
    return fabs(__dsub_rn(got, expected)) <=
           __dadd_rn(absolute, __dmul_rn(relative, fabs(expected)));
}

template <class T>
__device__ void count_wrong(T const* expected, T const* got, u64 n, double relative, double absolute,
                            u64* count) {
    u64 const stride = (u64)gridDim.x * blockDim.x;
    u64 wrong = 0;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        if (!within(number(expected[i]), number(got[i]), relative, absolute)) ++wrong;
    if (wrong != 0) atomicAdd(count, wrong);
}
#define LKT_COUNT_WRONG(name, type)                                                                \
    extern "C" __global__ void name(                                                               \
        type const* expected, type const* got, u64 n, double relative, double absolute, u64* count) { \
        count_wrong(expected, got, n, relative, absolute, count);                                  \
    }
LKT_COUNT_WRONG(lkt_wrong_f32, float)
LKT_COUNT_WRONG(lkt_wrong_f64, double)
LKT_COUNT_WRONG(lkt_wrong_f16, half16)
LKT_COUNT_WRONG(lkt_wrong_bf16, brain16)

// For what has no tolerance: bytes that differ.
extern "C" __global__ void lkt_wrong_bytes(unsigned char const* expected, unsigned char const* got,
                                           u64 n, double, double, u64* count) {
    u64 const stride = (u64)gridDim.x * blockDim.x;
    u64 wrong = 0;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        wrong += expected[i] != got[i];
    if (wrong != 0) atomicAdd(count, wrong);
}
)cuda";

} // namespace lkt::cuda_detail
