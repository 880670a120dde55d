// SPDX-License-Identifier: BSL-1.0
// The kernels that measure a device's peaks.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace lkt::cuda_detail::peaks {

// The arrays belong to the module, so that nothing of them crosses the bus. Each is far larger than
// any L2, and read or written once in a launch. One load a thread, no hints: of sixty ways to copy
// that were tried on an H200 (more loads a thread, streaming hints, grids that stay, bulk copies)
// none was clearly faster, and most moved 3 to 15 % less.
inline constexpr char const* copy_text = R"cuda(
__device__ uint4 source[COUNT], target[COUNT];

__global__ void __launch_bounds__(256) lkt_peak_copy(int fill) {
    unsigned const i = blockIdx.x * 256u + threadIdx.x;
    if (fill == 0)
        target[i] = source[i];
    else
        source[i] = make_uint4(i * 2654435761u, i * 40503u, ~i, i * i);
}
)cuda";

// Eight sums that wait for nothing but themselves. Without an argument that the compiler does not
// know, it would do the arithmetic itself.
inline constexpr char const* fp32_text = R"cuda(
__global__ void __launch_bounds__(256) lkt_peak_fp32(float* result, float factor, int rounds) {
    float x[8];
    float const add = factor * 0.25f;
    for (int k = 0; k < 8; ++k) x[k] = threadIdx.x + k;
    for (int r = 0; r < rounds; ++r)
#pragma unroll
        for (int step = 0; step < 32; ++step)
#pragma unroll
            for (int k = 0; k < 8; ++k) x[k] = fmaf(x[k], factor, add);
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += x[k];
    if (sum == 1234567.0f) *result = sum;
}
)cuda";

// In PTX, since the headers of `half` and of `wmma` may be missing.
inline constexpr char const* fp16_text = R"cuda(
__global__ void __launch_bounds__(256) lkt_peak_fp16(unsigned* result, unsigned factor, int rounds) {
    unsigned x[8], add = 0x3c003c00u - threadIdx.x;
    for (int k = 0; k < 8; ++k) x[k] = 0x3c003800u + threadIdx.x + k;
    for (int r = 0; r < rounds; ++r)
#pragma unroll
        for (int step = 0; step < 32; ++step)
#pragma unroll
            for (int k = 0; k < 8; ++k)
                asm("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x[k]) : "r"(factor), "r"(add));
    unsigned sum = 0;
    for (int k = 0; k < 8; ++k) sum += x[k];
    if (sum == 1234567u) *result = sum;
}
)cuda";

inline constexpr char const* tensor_text = R"cuda(
__device__ inline void multiply_add(float (&c)[8], unsigned const (&a)[8], unsigned const (&b)[8]) {
    asm("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 "
        "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, "
        "{%16, %17, %18, %19, %20, %21, %22, %23}, {%0, %1, %2, %3, %4, %5, %6, %7};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]),
          "+f"(c[7])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]),
          "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
}

__global__ void __launch_bounds__(256) lkt_peak_tensor(float* result, unsigned factor, int rounds) {
    unsigned a[8], b[8];
    float c[4][8];
    for (int k = 0; k < 8; ++k) {
        // Halves between 0.5 and 2, each with another sign.
        a[k] = (factor + 40503u * (threadIdx.x + k)) & 0x83ff83ffu | 0x38003800u;
        b[k] = (factor * 3u + 27644437u * (threadIdx.x + k)) & 0x83ff83ffu | 0x3c003c00u;
        for (int t = 0; t < 4; ++t) c[t][k] = 0;
    }
    for (int r = 0; r < rounds; ++r)
#pragma unroll
        for (int step = 0; step < 8; ++step)
#pragma unroll
            for (int t = 0; t < 4; ++t) multiply_add(c[t], a, b);
    float sum = 0;
    for (int t = 0; t < 4; ++t)
        for (int k = 0; k < 8; ++k) sum += c[t][k];
    if (sum == 1234567.0f) *result = sum;
}
)cuda";

// `mma` of compute capability 8.0 and newer: MULTIPLY_ADD has four registers of the left matrix,
// two of the right one, and four sums in each thread.
inline constexpr char const* mma_text = R"cuda(
__device__ inline void multiply_add(SUM (&c)[4], unsigned const (&a)[4], unsigned const (&b)[2]) {
    asm("mma.sync.aligned.MULTIPLY_ADD "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+LETTER"(c[0]), "+LETTER"(c[1]), "+LETTER"(c[2]), "+LETTER"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__global__ void __launch_bounds__(256) lkt_peak_mma(float* result, unsigned factor, int rounds) {
    unsigned a[4], b[2];
    SUM c[8][4];
    for (int k = 0; k < 4; ++k) a[k] = (factor + 40503u * (threadIdx.x + k)) & MASK | ONE;
    for (int k = 0; k < 2; ++k) b[k] = (factor * 3u + 27644437u * (threadIdx.x + k)) & MASK | ONE;
    for (int t = 0; t < 8; ++t)
        for (int k = 0; k < 4; ++k) c[t][k] = 0;
    for (int r = 0; r < rounds; ++r)
#pragma unroll
        for (int step = 0; step < 8; ++step)
#pragma unroll
            for (int t = 0; t < 8; ++t) multiply_add(c[t], a, b);
    SUM sum = 0;
    for (int t = 0; t < 8; ++t)
        for (int k = 0; k < 4; ++k) sum += c[t][k];
    if (sum == 1234567) *result = sum;
}
)cuda";

// `wgmma` of compute capability 9.0, as fast kernels use it: two groups of four warps, each with a
// left matrix of 64 rows, share a right one of 256; rows of 128 bytes, with the swizzle of 128.
inline constexpr char const* wgmma_text = R"cuda(
__global__ void __launch_bounds__(256) lkt_peak_wgmma(float* result, unsigned factor, int rounds) {
    __shared__ __align__(1024) unsigned rows[(2 * 64 + 256) * 32];
    for (unsigned i = threadIdx.x; i < sizeof(rows) / 4; i += 256)
        rows[i] = (factor + 2654435761u * i) & MASK | ONE;
    asm volatile("fence.proxy.async;" : : : "memory");
    __syncthreads();
    unsigned const start = static_cast<unsigned>(__cvta_generic_to_shared(rows));
    unsigned long long const layout = 1ull << 62 | 64ull << 32 | 1ull << 16;
    unsigned long long const left = layout | (start + threadIdx.x / 128 * 8192) >> 4;
    unsigned long long const right = layout | (start + 16384) >> 4;
    SUM c[128];
#pragma unroll
    for (int k = 0; k < 128; ++k) c[k] = 0;
    for (int r = 0; r < rounds; ++r) {
        asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
#pragma unroll
        for (int step = 0; step < 8; ++step)
            asm volatile("{ .reg .pred add; setp.eq.u32 add, 0, 0; "
                         "wgmma.mma_async.sync.aligned.MULTIPLY_ADD {PLACES}, %128, %129, add FLAGS; }"
                         : SUMS
                         : "l"(left + step % 4 * 2), "l"(right + step % 4 * 2));
        asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" : : : "memory");
    }
    SUM sum = 0;
#pragma unroll
    for (int k = 0; k < 128; ++k) sum += c[k];
    if (sum == 1234567) *result = sum;
}
)cuda";

// Of one product of matrices of float8: how small a second term may be, beside a first one of 2^16,
// before the sum loses it. The first one is the product of the elements in column 0 of a row, or
// the sum so far; the second stands in one of five columns. `float` keeps 24 bits.
inline constexpr char const* sum_bits_text = R"cuda(
__device__ inline unsigned float8_power(int exponent) { return (exponent + 7) << 3; } // e4m3

// Four elements of a row of 32.
struct row {
    unsigned first, other;
    int place; // of the other one, above 0
    __device__ unsigned word(int k) const {
        return (k == 0 ? first : 0) | (k == place / 4 ? other << place % 4 * 8 : 0);
    }
};

MULTIPLY_ADD

__global__ void __launch_bounds__(THREADS) lkt_peak_sum_bits(int* bits) {
    int kept = 24;
    for (int in_sum = 0; in_sum < 2; ++in_sum)
        for (int place = 1; place < 32; place = 2 * place + 1)
            for (int k = 1; k < kept; ++k) {
                unsigned const first = in_sum ? 0 : float8_power(8);
                int const half = (16 - k) / 2;
                row const left = {first, float8_power(half), place};
                row const right = {first, float8_power(16 - k - half), place};
                float const sum = multiply_add(left, right, in_sum ? 65536.0f : 0.0f);
                float const term = __int_as_float((127 + 16 - k) << 23);
                if (__shfl_sync(0xffffffffu, sum, 0) != 65536.0f + term) kept = k;
            }
    if (threadIdx.x == 0) *bits = kept;
}
)cuda";

// The element in the first row and column of the product, in the first thread; all rows but one of
// the left matrix, and all columns but one of the right one, are 0.
inline constexpr char const* mma_first_text = R"cuda(
__device__ inline float multiply_add(row left, row right, float sum) {
    int const k = threadIdx.x;
    float c[4] = {k == 0 ? sum : 0.0f, 0, 0, 0};
    unsigned const a0 = k < 4 ? left.word(k) : 0, a2 = k < 4 ? left.word(4 + k) : 0;
    unsigned const b0 = k < 4 ? right.word(k) : 0, b1 = k < 4 ? right.word(4 + k) : 0;
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %5}, {%7, %8}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a0), "r"(0), "r"(a2), "r"(b0), "r"(b1));
    return c[0];
}
)cuda";

inline constexpr char const* wgmma_first_text = R"cuda(
__device__ inline float multiply_add(row left, row right, float sum) {
    __shared__ __align__(1024) unsigned rows[(64 + 8) * 32];
    for (int i = threadIdx.x; i < (64 + 8) * 32; i += 128)
        rows[i] = i < 8 ? left.word(i) : i >= 64 * 32 && i < 64 * 32 + 8 ? right.word(i - 64 * 32) : 0;
    asm volatile("fence.proxy.async;" : : : "memory");
    __syncthreads();
    unsigned const start = static_cast<unsigned>(__cvta_generic_to_shared(rows));
    unsigned long long const layout = 1ull << 62 | 64ull << 32 | 1ull << 16;
    __shared__ float result;
    float c[4] = {threadIdx.x == 0 ? sum : 0.0f, 0, 0, 0};
    asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
    asm volatile("{ .reg .pred add; setp.eq.u32 add, 0, 0; "
                 "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%0, %1, %2, %3}, %4, %5, add, 1, 1; }"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "l"(layout | start >> 4), "l"(layout | (start + 8192) >> 4));
    asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" : : : "memory");
    if (threadIdx.x == 0) result = c[0];
    __syncthreads();
    return result;
}
)cuda";

inline constexpr char const* fp64_text = R"cuda(
__global__ void __launch_bounds__(256) lkt_peak_fp64(float* result, float factor, int rounds) {
    double x[8];
    double const by = factor, add = by * 0.25;
    for (int k = 0; k < 8; ++k) x[k] = threadIdx.x + k;
    for (int r = 0; r < rounds; ++r)
#pragma unroll
        for (int step = 0; step < 32; ++step)
#pragma unroll
            for (int k = 0; k < 8; ++k) x[k] = fma(x[k], by, add);
    double sum = 0;
    for (int k = 0; k < 8; ++k) sum += x[k];
    if (sum == 1234567.0) *result = static_cast<float>(sum);
}
)cuda";

[[nodiscard]] inline std::string
filled(std::string text,
       std::initializer_list<std::pair<std::string_view, std::string_view>> words) {
    for (auto const& [word, with] : words)
        for (auto at = text.find(word); at != text.npos; at = text.find(word, at + with.size()))
            text.replace(at, word.size(), with);
    return text;
}

/// The text for one kind of matrices. Elements have any sign and mantissa, and exponents near one.
[[nodiscard]] inline std::string
mma_text_of(char const* multiply_add, bool integers, char const* mask, char const* one) {
    return filled(mma_text,
                  {{"MULTIPLY_ADD", multiply_add},
                   {"SUM", integers ? "int" : "float"},
                   {"LETTER", integers ? "r" : "f"},
                   {"MASK", mask},
                   {"ONE", one}});
}

/// Likewise; `flags` are what stands behind the operands: signs, and how matrices lie.
[[nodiscard]] inline std::string wgmma_text_of(
    char const* multiply_add, char const* flags, bool integers, char const* mask, char const* one) {
    std::string places, sums;
    for (int k = 0; k < 128; ++k) {
        std::string const n = std::to_string(k);
        places += (k == 0 ? "%" : ", %") + n;
        sums += std::string(k == 0 ? "" : ", ") + (integers ? "\"+r\"(c[" : "\"+f\"(c[") + n + "])";
    }
    return filled(wgmma_text,
                  {{"MULTIPLY_ADD", multiply_add},
                   {"PLACES", places},
                   {"FLAGS", flags},
                   {"SUMS", sums},
                   {"SUM", integers ? "int" : "float"},
                   {"MASK", mask},
                   {"ONE", one}});
}

[[nodiscard]] inline std::string sum_bits_text_of(char const* multiply_add, char const* threads) {
    return filled(sum_bits_text, {{"MULTIPLY_ADD", multiply_add}, {"THREADS", threads}});
}

} // namespace lkt::cuda_detail::peaks
