// SPDX-License-Identifier: BSL-1.0
// The kernels that a back end for CUDA or HIP itself launches around those of a candidate, in the
// text that both languages share. For AMD's compiler they do without a clock: `lkt_stamp` writes
// nothing.
#pragma once

#include <lkt/gpu/device/detail/stream_source.hpp>

#include <string>

namespace lkt::device_detail {

/// What the compilers spell differently; comes behind `stream_source`.
inline constexpr char const* tools_of_compiler = R"cuda(
struct half16 { unsigned short bits; };
#ifdef __AMDGCN__
// Among each 32 lanes, however many a wave has.
__device__ inline u64 of_lane_behind(u64 x, int k) { return __shfl_down(x, k, 32); }
// No clock is on all devices. A look at the host's memory takes about a microsecond.
__device__ inline void hold(u32 const volatile* flag, u64 limit) {
    for (u64 k = 0; *flag == 0 && k < limit / 1000; ++k) __builtin_amdgcn_s_sleep(16);
}
__device__ inline void stamp(u64 volatile*) {}
__device__ inline double number(half16 x) { return __builtin_bit_cast(_Float16, x.bits); }
__device__ inline double difference(double a, double b) {
#pragma clang fp contract(off)
    return a - b;
}
__device__ inline double sum(double a, double b) {
#pragma clang fp contract(off)
    return a + b;
}
__device__ inline double product(double a, double b) {
#pragma clang fp contract(off)
    return a * b;
}
#else
__device__ inline u64 of_lane_behind(u64 x, int k) { return __shfl_down_sync(0xffffffffu, x, k); }
__device__ inline u64 nanoseconds() {
    u64 t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}
__device__ inline void hold(u32 const volatile* flag, u64 limit) {
    u64 const begin = nanoseconds();
    while (*flag == 0 && nanoseconds() - begin < limit) {}
}
__device__ inline void stamp(u64 volatile* to) {
    u32 sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (sm != 0) return;
    u64 clock;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock));
    to[0] = nanoseconds();
    to[1] = clock;
}
__device__ inline double number(half16 x) {
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(x.bits));
    return f;
}
__device__ inline double difference(double a, double b) { return __dsub_rn(a, b); }
__device__ inline double sum(double a, double b) { return __dadd_rn(a, b); }
__device__ inline double product(double a, double b) { return __dmul_rn(a, b); }
#endif
)cuda";

/// Comes behind `tools_of_compiler`.
inline constexpr char const* tools_source = R"cuda(
__device__ inline place_in_grid all_threads() {
    return {(u64)blockIdx.x * blockDim.x + threadIdx.x, (u64)gridDim.x * blockDim.x};
}

__device__ inline u64 mixed(u64 x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

// Fills `bytes` bytes with the stream of `key`.
extern "C" __global__ void lkt_stream(unsigned char* to, u64 bytes, secret key) {
    write_stream(to, bytes, key, all_threads());
}

// Counts the bytes among `bytes` that lkt_stream with the same key would not have left.
extern "C" __global__ void lkt_disturbed(unsigned char const* at, u64 bytes, secret key, u64* count) {
    u64 const wrong = disturbed_bytes(at, bytes, key, all_threads());
    if (wrong != 0) atomicAdd(count, wrong);
}

// Reads a buffer, so that the caches hold nothing else, and nothing that has still to be written to
// memory. It holds zeros, so nothing is written; the compiler does not know that.
extern "C" __global__ void lkt_read(four_words const* from, u64 count, u32* to) {
    u32 all = 0;
    for (u64 i = all_threads().first; i < count; i += all_threads().stride) {
        four_words const w = from[i];
        all |= w.x | w.y | w.z | w.w;
    }
    if (all != 0) *to = all;
}

// Fills a buffer; `columns` blocks share a repetition of the pattern.
extern "C" __global__ void lkt_fill(unsigned char* to, u64 bytes, four_words const* pattern,
                                    u64 period, u64 keep, u64 set, u32 columns) {
    u64 const column = blockIdx.x % columns;
    write_pattern(to, bytes, pattern, period, keep, set,
                  {column * blockDim.x + threadIdx.x, (u64)columns * blockDim.x},
                  {blockIdx.x / columns, gridDim.x / columns});
}

// Makes of what is right something that is nearly right.
extern "C" __global__ void lkt_nearly(unsigned char* to, u64 elements, u32 size,
                                      unsigned char const* pattern, u64 period) {
    disturb_some(to, elements, size, pattern, period, all_threads());
}

// Adds a number to `sum` that depends on every one of `bytes` bytes, on where it stands and on a key,
// so that nobody without it can change two of them and keep the sum. The pointer is aligned to 8.
extern "C" __global__ void lkt_digest(unsigned char const* at, u64 bytes, u64 key, u64 key_too,
                                      u64* sum) {
    u64 const stride = (u64)gridDim.x * blockDim.x, words = bytes / 8;
    u64 const first = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    u64 mine = 0;
    for (u64 i = first; i < words; i += stride) mine += mixed((((u64 const*)at)[i] ^ mixed(i ^ key)) + key_too);
    if (first < bytes % 8) mine += mixed((at[words * 8 + first] ^ mixed((words + first) ^ key)) + key_too);
    for (int k = 16; k > 0; k /= 2) mine += of_lane_behind(mine, k);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

// Fills the shared memory of the multiprocessor that it runs on, with a stream that repeats itself
// after a block of each thread.
extern "C" __global__ void lkt_scrub(u32 words, secret key) {
    extern __shared__ u32 shared[];
    u32 x[16];
    stream_block(key, threadIdx.x, x);
    // A warp's stores lie side by side.
    for (u32 first = 0; first < words; first += 16 * blockDim.x)
#pragma unroll
        for (u32 k = 0; k < 16; ++k) {
            u32 const i = first + k * blockDim.x + threadIdx.x;
            if (i < words) ((u32 volatile*)shared)[i] = x[k];
        }
}

// Occupies the stream until the flag is set, so that what is queued behind starts back to back.
extern "C" __global__ void lkt_hold(u32 const volatile* flag, u64 limit) {
    hold(flag, limit);
}

// Time and SM clock, both read on the first multiprocessor.
extern "C" __global__ void lkt_stamp(u64 volatile* to) { stamp(to); }

__device__ inline double number(float x) { return x; }
__device__ inline double number(double x) { return x; }
struct brain16 { unsigned short bits; };
__device__ inline double number(brain16 x) { return __uint_as_float((u32)x.bits << 16); }

// lkt::within, operation for operation: no contraction.
__device__ inline bool within(double expected, double got, double relative, double absolute) {
    if (isnan(expected) || isnan(got)) return isnan(expected) && isnan(got);
    if (isinf(expected) || isinf(got)) return expected == got;
    return fabs(difference(got, expected)) <= sum(absolute, product(relative, fabs(expected)));
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

/// The whole text.
[[nodiscard]] inline std::string tools_text() {
    return std::string(stream_source) + tools_of_compiler + tools_source;
}

} // namespace lkt::device_detail
