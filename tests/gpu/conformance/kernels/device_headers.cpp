// SPDX-License-Identifier: BSL-1.0
// What a kernel includes of CUDA's device code: tensor cores, groups, asynchronous copies,
// barriers, and arithmetic in 16 bits.
#include "../kernel_case.hpp"

#include <doctest/doctest.h>

using namespace conformance;
using namespace support;

namespace {

auto const cuda_only = not_in_wgsl("a header of CUDA");

/// Small integers, so that every sum of their products is exact.
std::vector<float> small_integers(int count, int seed) {
    std::vector<float> v;
    for (int i = 0; i < count; ++i) v.push_back(static_cast<float>((i * 7 + seed) % 9 - 4));
    return v;
}

/// `wide` a row: c = a * b + 1, with a of m x k and b of k x n.
std::vector<float>
product(std::vector<float> const& a, std::vector<float> const& b, int m, int n, int k) {
    std::vector<float> c(at(m * n), 1);
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j)
            for (int l = 0; l < k; ++l) c[at(i * n + j)] += a[at(i * k + l)] * b[at(l * n + j)];
    return c;
}

/// One warp multiplies one tile. Layouts are parameters, so all texts are one.
std::string one_tile(std::string const& in, std::string const& fragment, std::string const& sum) {
    return R"(
#include <mma.h>
#include <cuda_bf16.h>
using namespace nvcuda;
template <bool By> struct pick { using type = wmma::row_major; };
template <> struct pick<false> { using type = wmma::col_major; };
__global__ void multiply(float const* a, float const* b, float* c) {
    constexpr int m = ROWS, n = COLUMNS, k = DEPTH;
    __shared__ __align__(32) )" +
           in + R"( left[m * k], right[k * n];
    __shared__ __align__(32) )" +
           sum + R"( result[m * n];
    for (int i = threadIdx.x; i < m * k; i += 32)
        left[A_BY_ROW ? i : i % k * m + i / k] = ()" +
           in + R"()a[i];
    for (int i = threadIdx.x; i < k * n; i += 32)
        right[B_BY_ROW ? i : i % n * k + i / n] = ()" +
           in + R"()b[i];
    __syncwarp();
    wmma::fragment<wmma::matrix_a, m, n, k, )" +
           fragment + R"(, pick<A_BY_ROW>::type> x;
    wmma::fragment<wmma::matrix_b, m, n, k, )" +
           fragment + R"(, pick<B_BY_ROW>::type> y;
    wmma::fragment<wmma::accumulator, m, n, k, )" +
           sum + R"(> z;
    wmma::fill_fragment(z, ()" +
           sum + R"()0);
    wmma::load_matrix_sync(x, left, A_BY_ROW ? k : m);
    wmma::load_matrix_sync(y, right, B_BY_ROW ? n : k);
    wmma::mma_sync(z, x, y, z);
    for (int i = 0; i < z.num_elements; ++i) z.x[i] = z.x[i] + ()" +
           sum + R"()1;
    wmma::store_matrix_sync(result, z, C_BY_ROW ? n : m, C_BY_ROW ? wmma::mem_row_major : wmma::mem_col_major);
    __syncwarp();
    for (int i = threadIdx.x; i < m * n; i += 32)
        c[i] = (float)result[C_BY_ROW ? i : i % n * m + i / n];
})";
}

struct tile {
    char const *in, *fragment, *sum;
    int m, n, k;
};

void judge_tile(tile const& t, bool a_by_row, bool b_by_row, bool c_by_row) {
    auto const a = small_integers(t.m * t.k, 1), b = small_integers(t.k * t.n, 5);
    kernel_case k{.cuda = one_tile(t.in, t.fragment, t.sum),
                  .wgsl = cuda_only,
                  .grid = {1},
                  .block = {32},
                  .arguments = {in(a), in(b), out<float>(at(t.m * t.n))},
                  .expected = {exactly(product(a, b, t.m, t.n, t.k))}};
    k.definitions.values = {{"ROWS", std::int64_t{t.m}},
                            {"COLUMNS", std::int64_t{t.n}},
                            {"DEPTH", std::int64_t{t.k}},
                            {"A_BY_ROW", a_by_row},
                            {"B_BY_ROW", b_by_row},
                            {"C_BY_ROW", c_by_row}};
    judge(k);
}

} // namespace

TEST_CASE("kernels: tensor cores multiply halves in every layout") {
    for (int layouts = 0; layouts < 8; ++layouts)
        judge_tile({"__half", "__half", "float", 16, 16, 16},
                   (layouts & 1) != 0,
                   (layouts & 2) != 0,
                   (layouts & 4) != 0);
}

TEST_CASE("kernels: tensor cores multiply every type and shape") {
    for (tile const& t : {tile{"__half", "__half", "__half", 16, 16, 16},
                          tile{"__half", "__half", "float", 32, 8, 16},
                          tile{"__nv_bfloat16", "__nv_bfloat16", "float", 8, 32, 16},
                          tile{"signed char", "signed char", "int", 32, 8, 16},
                          tile{"float", "wmma::precision::tf32", "float", 16, 16, 8},
                          tile{"double", "double", "double", 8, 8, 4}})
        judge_tile(t, true, false, true);
}

TEST_CASE("kernels: an accumulator's rows can be found by an accumulator of indices") {
    // Which element is where is left open, so a kernel asks: it loads the numbers of the elements.
    std::vector<float> scaled;
    for (int i = 0; i < 256; ++i) scaled.push_back(static_cast<float>(i * (i / 16)));
    judge({.cuda = R"(
#include <mma.h>
namespace wmma = nvcuda::wmma;
__global__ void rows(float* y) {
    __shared__ __align__(32) float numbers[256];
    for (int i = threadIdx.x; i < 256; i += 32) numbers[i] = i;
    __syncwarp();
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> f, which;
    wmma::load_matrix_sync(which, numbers, 16, wmma::mem_row_major);
    wmma::load_matrix_sync(f, numbers, 16, wmma::mem_row_major);
    for (int i = 0; i < f.num_elements; ++i) f.x[i] *= (int)which.x[i] / 16;
    wmma::store_matrix_sync(y, f, 16, wmma::mem_row_major);
})",
           .wgsl = cuda_only,
           .grid = {1},
           .block = {32},
           .arguments = {out<float>(256)},
           .expected = {exactly(scaled)}});
}

TEST_CASE("kernels: cooperative groups know their ranks, exchange and reduce") {
    std::vector<int> expected;
    for (int t = 0; t < 64; ++t)
        for (int v : {t,
                      64,
                      t % 8,
                      t / 8,
                      t / 8 * 8 + 3,
                      t / 8 * 64 + 28,
                      t / 8 * 8 * (t % 8 + 1) + (t % 8) * (t % 8 + 1) / 2,
                      t / 8 * 8 * (t % 8) + (t % 8) * (t % 8 - 1) / 2,
                      0xaa,
                      t % 8 == 7 ? t : t + 1,
                      t / 32 * 32 + 31,
                      1})
            expected.push_back(v);
    judge({.cuda = R"(
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void groups(int* y) {
    cg::thread_block block = cg::this_thread_block();
    auto eight = cg::tiled_partition<8>(block);
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int const t = block.thread_rank();
    int* to = y + t * 12;
    to[0] = t; to[1] = block.size();
    to[2] = eight.thread_rank(); to[3] = eight.meta_group_rank();
    to[4] = eight.shfl(t, 3);
    to[5] = cg::reduce(eight, t, cg::plus<int>());
    to[6] = cg::inclusive_scan(eight, t);
    to[7] = cg::exclusive_scan(eight, t);
    to[8] = eight.ballot(t & 1);
    to[9] = eight.shfl_down(t, 1);
    to[10] = cg::reduce(warp, t, cg::greater<int>());
    to[11] = warp.any(t == 3 || t == 40) && !eight.all(t & 1);
    block.sync();
})",
           .wgsl = cuda_only,
           .grid = {1},
           .block = {64},
           .arguments = {out<int>(64 * 12)},
           .expected = {exactly(expected)}});
}

TEST_CASE("kernels: asynchronous copies in two stages") {
    auto const x = small_integers(64 * 16, 3);
    std::vector<float> sums(64);
    for (std::size_t i = 0; i < x.size(); ++i) sums[i % 64] += x[i];
    judge({.cuda = R"(
#include <cuda_pipeline.h>
__global__ void sums(float const* x, float* y) {
    __shared__ __align__(16) float stage[2][64];
    int const t = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&stage[0][t], x + t, 4);
    __pipeline_commit();
    for (int k = 0; k < 16; ++k) {
        if (k + 1 < 16) __pipeline_memcpy_async(&stage[(k + 1) % 2][t], x + (k + 1) * 64 + t, 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += stage[k % 2][63 - t];
        __syncthreads();
    }
    y[63 - t] = sum;
})",
           .wgsl = cuda_only,
           .grid = {1},
           .block = {64},
           .arguments = {in(x), out<float>(64)},
           .expected = {exactly(sums)}});
    judge({.cuda = R"(
#include <cuda/pipeline>
__global__ void sums(float const* x, float* y) {
    __shared__ __align__(16) float stage[3][64];
    int const t = threadIdx.x;
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    float sum = 0;
    for (int k = 0; k < 18; ++k) {
        if (k < 16) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stage[k % 3][t], x + k * 64 + t, cuda::aligned_size_t<4>(4), pipe);
            pipe.producer_commit();
        }
        if (k < 2) continue;
        pipe.consumer_wait();
        sum += stage[(k - 2) % 3][t];
        pipe.consumer_release();
    }
    y[t] = sum;
})",
           .wgsl = cuda_only,
           .grid = {1},
           .block = {64},
           .arguments = {in(x), out<float>(64)},
           .expected = {exactly(sums)}});
}

TEST_CASE("kernels: barriers in shared memory, and copies bound to one") {
    auto const x = small_integers(128, 2);
    std::vector<float> expected(128);
    for (std::size_t i = 0; i < 128; ++i) expected[i] = x[127 - i] + static_cast<float>(i % 64);
    judge({.cuda = R"(
#include <cuda/barrier>
__global__ void turned(float const* x, float* y) {
    __shared__ __align__(16) float tile[128];
    __shared__ int stage[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    int const t = threadIdx.x;
    if (t == 0) init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(tile + t, x + t, sizeof(float), bar);
    bar.wait(bar.arrive());
    float const turned = tile[127 - t];
    if (t < 64) stage[t] = t;
    bar.arrive_and_wait();
    y[t] = turned + stage[t % 64];
})",
           .wgsl = cuda_only,
           .grid = {1},
           .block = {128},
           .arguments = {in(x), out<float>(128)},
           .expected = {exactly(expected)}});
}

TEST_CASE("kernels: arithmetic in 16 bits, alone and in pairs") {
    std::string const text = R"(
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void sixteen(float const* x, float* y) {
    TYPE const a = (TYPE)x[0], b = (TYPE)x[1], c = (TYPE)x[2];
    PAIR const p = MAKE(a, b), q = MAKE(b, c);
    float* to = y;
    auto put = [&](TYPE v) { *to++ = (float)v; };
    auto put2 = [&](PAIR v) { put(v.x); put(v.y); };
    put(a + b * c); put(a / b - c); put(__hfma(a, b, c)); put(__hneg(a)); put(__habs(-a));
    put(__hmax(a, b)); put(__hmin(a, c)); put(hsqrt(b)); put(hrcp(b)); put(hfloor(a)); put(hceil(a));
    put(hrint(a)); put(__hadd_sat(a, b)); put(__hfma_relu(a, -b, c)); put(hexp2(b)); put(hlog2(b));
    put2(p + q); put2(__hmul2(p, q)); put2(__hfma2(p, q, p)); put2(__hmax2(p, q)); put2(-p);
    put2(__hgt2(p, q)); put2(__lowhigh2highlow(p)); put2(h2sqrt(__habs2(q)));
    *to++ = __hgt(a, b); *to++ = __hbeq2(p, p); *to++ = __hisnan(a); *to++ = (float)(__heq2_mask(p, p) >> 16);
    *to++ = a < b ? 1 : 2; *to++ = (a != b) ? 3 : 4;
    TYPE z = a; z += b; z *= c; ++z; put(z);
})";
    // 1.5, 4, -0.25: every result is exact in 16 bits but 1 / 4 - ..., which are, too.
    std::vector<float> const x{1.5F, 4, -0.25F};
    std::vector<float> const y{1.5F - 1,  0.375F + 0.25F,
                               6 - 0.25F, -1.5F,
                               1.5F,      4,
                               -0.25F,    2,
                               0.25F,     1,
                               2,         2,
                               1,         0,
                               16,        2,
                               5.5F,      3.75F,
                               6,         -1,
                               7.5F,      3,
                               4,         4,
                               -1.5F,     -4,
                               0,         1,
                               4,         1.5F,
                               2,         0.5F,
                               0,         1,
                               0,         65535,
                               1,         3,
                               -0.375F};
    for (bool const half : {true, false}) {
        kernel_case k{.cuda = text,
                      .wgsl = cuda_only,
                      .grid = {1},
                      .block = {1},
                      .arguments = {in(x), out<float>(y.size())},
                      .expected = {exactly(y)}};
        k.definitions.values = {
            {"TYPE", std::string{half ? "__half" : "__nv_bfloat16"}},
            {"PAIR", std::string{half ? "__half2" : "__nv_bfloat162"}},
            {"MAKE", std::string{half ? "__halves2half2" : "__halves2bfloat162"}}};
        judge(k);
    }
}
