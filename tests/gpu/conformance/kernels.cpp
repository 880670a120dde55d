// SPDX-License-Identifier: BSL-1.0
// Kernels of many kinds against references written independently of them. Each kernel is also what
// a user might write: the texts use what CUDA kernels use.
#include "../support.hpp"
#include "tested_backend.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace support;

namespace {

unsigned blocks(std::size_t n, unsigned block) {
    return static_cast<unsigned>((n + block - 1) / block);
}
std::vector<float> floats(trial const& t) {
    return numbers<float>(outputs(tested_backend(), t)[0]);
}
std::vector<int> ints(trial const& t) { return numbers<int>(outputs(tested_backend(), t)[0]); }

constexpr int n1 = 1000; // no multiple of a warp or a block

} // namespace

TEST_CASE("kernels: element-wise sigmoid") {
    auto const x = random_floats(n1, 1, -8, 8);
    std::vector<float> expected;
    for (float const v : x) expected.push_back(static_cast<float>(1 / (1 + std::exp(-double{v}))));
    trial const t{R"(
extern "C" __global__ void sigmoid(const float* __restrict__ x, float* __restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 1.0f / (1.0f + __expf(-x[i]));
})",
                  {blocks(n1, 128)},
                  {128},
                  {in(x), out<float>(n1), value(n1)}};
    CHECK(distance(floats(t), expected) < 1e-6);
}

TEST_CASE("kernels: saxpy with a grid-stride loop") {
    auto const x = random_floats(n1, 2), y = random_floats(n1, 3);
    std::vector<float> expected(n1);
    for (std::size_t i = 0; i < n1; ++i) expected[i] = 2.5F * x[i] + y[i];
    trial const t{R"(
__global__ void saxpy(int n, float a, float const* x, float* y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = fmaf(a, x[i], y[i]);
})",
                  {3},
                  {64},
                  {value(n1), value(2.5F), in(x), inout(y)}};
    CHECK(distance(floats(t), expected) < 1e-6);
}

TEST_CASE("kernels: two-dimensional stencil") {
    constexpr int w = 37, h = 29;
    auto const x = random_floats(w * h, 4);
    std::vector<float> expected(x);
    for (int r = 1; r < h - 1; ++r)
        for (int c = 1; c < w - 1; ++c) {
            auto const at = [&](int i, int k) { return x[static_cast<std::size_t>(i * w + k)]; };
            expected[static_cast<std::size_t>(r * w + c)] =
                0.25F * (at(r - 1, c) + at(r + 1, c) + at(r, c - 1) + at(r, c + 1));
        }
    trial const t{R"(
#define AT(r, c) a[(r) * w + (c)]
__global__ void stencil(float const* a, float* b, int w, int h) {
    int const c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= w || r >= h) return;
    bool const inner = c > 0 && r > 0 && c < w - 1 && r < h - 1;
    b[r * w + c] = inner ? 0.25f * (AT(r - 1, c) + AT(r + 1, c) + AT(r, c - 1) + AT(r, c + 1)) : AT(r, c);
})",
                  {blocks(w, 16), blocks(h, 8)},
                  {16, 8},
                  {in(x), out<float>(w * h), value(w), value(h)}};
    CHECK(distance(floats(t), expected) < 1e-6);
}

TEST_CASE("kernels: sum by shared memory") {
    auto const x = random_ints(5000, 5, -100, 100);
    trial const t{R"(
__global__ void sum(int const* x, int* total, int n) {
    __shared__ int part[256];
    int tid = threadIdx.x, acc = 0;
    for (int i = blockIdx.x * 256 + tid; i < n; i += 256 * gridDim.x) acc += x[i];
    part[tid] = acc;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (tid < s) part[tid] += part[tid + s];
        __syncthreads();
    }
    if (tid == 0) atomicAdd(total, part[0]);
})",
                  {7},
                  {256},
                  {in(x), inout(std::vector<int>{11}), value(5000)}};
    CHECK(ints(t) == std::vector<int>{std::accumulate(x.begin(), x.end(), 11)});
}

TEST_CASE("kernels: sum by shuffles") {
    auto const x = random_floats(4096, 6);
    trial const t{R"(
__inline__ __device__ float warp_sum(float v) {
    for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}
__global__ void __launch_bounds__(256) sum(float const* x, float* y) {
    static __shared__ float part[32];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    float v = warp_sum(x[blockIdx.x * blockDim.x + threadIdx.x]);
    if (lane == 0) part[warp] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / warpSize ? part[lane] : 0;
    if (warp == 0) v = warp_sum(v);
    if (threadIdx.x == 0) y[blockIdx.x] = v;
})",
                  {16},
                  {256},
                  {in(x), out<float>(16)}};
    std::vector<float> expected;
    for (int b = 0; b < 16; ++b)
        expected.push_back(static_cast<float>(
            std::accumulate(x.begin() + b * 256, x.begin() + (b + 1) * 256, 0.0)));
    CHECK(distance(floats(t), expected) < 1e-4);
}

TEST_CASE("kernels: inclusive scan") {
    auto const x = random_ints(512, 7, -9, 9);
    std::vector<int> expected(512);
    std::partial_sum(x.begin(), x.begin() + 256, expected.begin());
    std::partial_sum(x.begin() + 256, x.end(), expected.begin() + 256);
    trial const t{R"(
__global__ void scan(const int* in, int* out) {
    extern __shared__ int buffer[];
    int t = threadIdx.x, n = blockDim.x, from = 0;
    buffer[t] = in[blockIdx.x * n + t];
    __syncthreads();
    for (int d = 1; d < n; d *= 2) {
        int to = 1 - from;
        buffer[to * n + t] = buffer[from * n + t] + (t >= d ? buffer[from * n + t - d] : 0);
        from = to;
        __syncthreads();
    }
    out[blockIdx.x * n + t] = buffer[from * n + t];
})",
                  {2},
                  {256},
                  {in(x), out<int>(512)},
                  2 * 256 * 4};
    CHECK(ints(t) == expected);
}

TEST_CASE("kernels: warp scan with shuffles up, of 64-bit values") {
    std::vector<double> x(96), expected(96);
    for (std::size_t i = 0; i < 96; ++i) x[i] = 1.0 / static_cast<double>(i + 1);
    for (std::size_t w = 0; w < 3; ++w)
        std::partial_sum(x.begin() + static_cast<int>(w) * 32,
                         x.begin() + static_cast<int>(w + 1) * 32,
                         expected.begin() + static_cast<int>(w) * 32);
    trial const t{R"(
__global__ void warp_scan(double const* x, double* y) {
    double v = x[threadIdx.x];
    int lane = threadIdx.x & 31;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        double u = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += u;
    }
    y[threadIdx.x] = v;
})",
                  {1},
                  {96},
                  {in(x), out<double>(96)}};
    CHECK(distance(numbers<double>(outputs(tested_backend(), t)[0]), expected) < 1e-12);
}

TEST_CASE("kernels: transpose through a padded tile") {
    constexpr int w = 45, h = 70;
    auto const x = random_floats(w * h, 8);
    std::vector<float> expected(x.size());
    for (int r = 0; r < h; ++r)
        for (int c = 0; c < w; ++c)
            expected[static_cast<std::size_t>(c * h + r)] = x[static_cast<std::size_t>(r * w + c)];
    trial t{R"(
__global__ void transpose(float const* __restrict__ a, float* __restrict__ b, int w, int h) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < w && y + k < h) tile[threadIdx.y + k][threadIdx.x] = a[(y + k) * w + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (x < h && y + k < w) b[(y + k) * h + x] = tile[threadIdx.x][threadIdx.y + k];
})",
            {blocks(w, 32), blocks(h, 32)},
            {32, 8},
            {in(x), out<float>(w * h), value(w), value(h)}};
    t.definitions.values = {{"TILE", std::int64_t{32}}, {"ROWS", std::int64_t{8}}};
    CHECK(floats(t) == expected);
}

TEST_CASE("kernels: matrix multiplication, naive and tiled") {
    constexpr int n = 50;
    auto const a = random_floats(n * n, 9), b = random_floats(n * n, 10);
    std::vector<float> expected(n * n);
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) {
            double s = 0;
            for (int k = 0; k < n; ++k)
                s += double{a[static_cast<std::size_t>(r * n + k)]} *
                     b[static_cast<std::size_t>(k * n + c)];
            expected[static_cast<std::size_t>(r * n + c)] = static_cast<float>(s);
        }
    trial t{R"(
__global__ void matmul(float const* A, float const* B, float* C, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
})",
            {blocks(n, 16), blocks(n, 16)},
            {16, 16},
            {in(a), in(b), out<float>(n * n), value(n)}};
    CHECK(distance(floats(t), expected) < 1e-5);
    t.text = R"(
#include <cuda_runtime.h>
#define TILE 16
template <typename T> __device__ T load(T const* m, int r, int c, int n) {
    return r < n && c < n ? m[r * n + c] : T(0);
}
__global__ void matmul(float const* A, float const* B, float* C, int n) {
    __shared__ float As[TILE][TILE], Bs[TILE][TILE];
    int ty = threadIdx.y, tx = threadIdx.x, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        As[ty][tx] = load(A, row, k0 + tx, n);
        Bs[ty][tx] = load(B, k0 + ty, col, n);
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < n && col < n) C[row * n + col] = sum;
})";
    CHECK(distance(floats(t), expected) < 1e-5);
}

TEST_CASE("kernels: histogram with atomics in shared and global memory") {
    auto const x = random_ints(10'000, 11, 0, 63);
    std::vector<int> expected(64);
    for (int const v : x) ++expected[static_cast<std::size_t>(v)];
    trial const t{R"(
__global__ void histogram(int const* x, int* bins, int n) {
    __shared__ unsigned local[64];
    if (threadIdx.x < 64) local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicInc(&local[x[i]], 0xffffffffu);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(bins + threadIdx.x, (int)local[threadIdx.x]);
})",
                  {8},
                  {128},
                  {in(x), inout(std::vector<int>(64)), value(10'000)}};
    CHECK(ints(t) == expected);
}

TEST_CASE("kernels: row softmax") {
    constexpr int rows = 9, columns = 77;
    auto const x = random_floats(rows * columns, 12, -5, 5);
    std::vector<float> expected;
    for (int r = 0; r < rows; ++r) {
        auto const begin = x.begin() + r * columns, end = begin + columns;
        double const top = *std::max_element(begin, end);
        double sum = 0;
        for (auto i = begin; i != end; ++i) sum += std::exp(*i - top);
        for (auto i = begin; i != end; ++i)
            expected.push_back(static_cast<float>(std::exp(*i - top) / sum));
    }
    trial const t{R"(
__global__ void softmax(const float* x, float* y, int columns) {
    __shared__ float shared[128];
    const float* row = x + blockIdx.x * columns;
    int t = threadIdx.x;
    float m = -INFINITY;
    for (int i = t; i < columns; i += blockDim.x) m = fmaxf(m, row[i]);
    shared[t] = m;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) shared[t] = max(shared[t], shared[t + s]);
        __syncthreads();
    }
    m = shared[0];
    __syncthreads();
    float sum = 0;
    for (int i = t; i < columns; i += blockDim.x) sum += expf(row[i] - m);
    shared[t] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) shared[t] += shared[t + s];
        __syncthreads();
    }
    for (int i = t; i < columns; i += blockDim.x) y[blockIdx.x * columns + i] = expf(row[i] - m) / shared[0];
})",
                  {rows},
                  {128},
                  {in(x), out<float>(rows * columns), value(columns)}};
    CHECK(distance(floats(t), expected) < 1e-6);
}

TEST_CASE("kernels: layer norm by a warp for each row") {
    constexpr int rows = 10, columns = 100;
    auto const x = random_floats(rows * columns, 13), g = random_floats(columns, 14),
               b = random_floats(columns, 15);
    std::vector<float> expected;
    for (int r = 0; r < rows; ++r) {
        double mean = 0, square = 0;
        for (int c = 0; c < columns; ++c) mean += x[static_cast<std::size_t>(r * columns + c)];
        mean /= columns;
        for (int c = 0; c < columns; ++c)
            square += std::pow(x[static_cast<std::size_t>(r * columns + c)] - mean, 2);
        for (int c = 0; c < columns; ++c)
            expected.push_back(static_cast<float>(
                (x[static_cast<std::size_t>(r * columns + c)] - mean) /
                    std::sqrt(square / columns + 1e-5) * g[static_cast<std::size_t>(c)] +
                b[static_cast<std::size_t>(c)]));
    }
    trial const t{R"(
__device__ __forceinline__ float all_sum(float v) {
    for (int m = 16; m; m >>= 1) v += __shfl_xor_sync(0xffffffff, v, m);
    return v;
}
__global__ void layer_norm(const float* x, const float* gamma, const float* beta, float* y, int rows, int columns) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float sum = 0, square = 0;
    for (int c = threadIdx.x; c < columns; c += 32) sum += x[row * columns + c];
    float mean = all_sum(sum) / columns;
    for (int c = threadIdx.x; c < columns; c += 32) {
        float d = x[row * columns + c] - mean;
        square += d * d;
    }
    float scale = rsqrtf(all_sum(square) / columns + 1e-5f);
    for (int c = threadIdx.x; c < columns; c += 32)
        y[row * columns + c] = (x[row * columns + c] - mean) * scale * __ldg(gamma + c) + __ldg(&beta[c]);
})",
                  {blocks(rows, 4)},
                  {32, 4},
                  {in(x), in(g), in(b), out<float>(rows * columns), value(rows), value(columns)}};
    CHECK(distance(floats(t), expected) < 1e-5);
}

TEST_CASE("kernels: Mandelbrot") {
    constexpr int w = 40, h = 30, most = 200;
    std::vector<int> expected;
    for (int py = 0; py < h; ++py)
        for (int px = 0; px < w; ++px) {
            double const cx = -2 + 3.0 * px / w, cy = -1 + 2.0 * py / h;
            double zx = 0, zy = 0;
            int k = 0;
            for (; k < most && zx * zx + zy * zy <= 4; ++k) {
                double const next = zx * zx - zy * zy + cx;
                zy = 2 * zx * zy + cy;
                zx = next;
            }
            expected.push_back(k);
        }
    trial const t{R"(
struct complex { double re, im;
    __device__ complex operator*(complex const& o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
    __device__ complex operator+(complex const& o) const { return {re + o.re, im + o.im}; }
    __device__ double norm() const { return re * re + im * im; } };
__global__ void mandelbrot(int* counts, int w, int h, int most) {
    int px = threadIdx.x + blockDim.x * blockIdx.x, py = threadIdx.y + blockDim.y * blockIdx.y;
    if (px >= w || py >= h) return;
    complex c{-2 + 3.0 * px / w, -1 + 2.0 * py / h}, z{0, 0};
    int k = 0;
    while (k < most && z.norm() <= 4.0) { z = z * z + c; ++k; }
    counts[py * w + px] = k;
})",
                  {blocks(w, 16), blocks(h, 16)},
                  {16, 16},
                  {out<int>(w * h), value(w), value(h), value(most)}};
    auto const got = ints(t);
    int different = 0; // a contracted product may leave one step earlier or later
    for (std::size_t i = 0; i < got.size(); ++i) different += got[i] != expected[i] ? 1 : 0;
    CHECK(different <= 6);
}

TEST_CASE("kernels: game of life") {
    constexpr int w = 33, h = 21;
    auto const x = random_ints(w * h, 16, 0, 1);
    std::vector<std::uint8_t> cells(x.begin(), x.end()), expected(cells.size());
    for (int r = 0; r < h; ++r)
        for (int c = 0; c < w; ++c) {
            int around = 0;
            for (int dr = -1; dr <= 1; ++dr)
                for (int dc = -1; dc <= 1; ++dc)
                    if (dr != 0 || dc != 0)
                        around += cells[static_cast<std::size_t>((r + dr + h) % h * w +
                                                                 (c + dc + w) % w)];
            auto const i = static_cast<std::size_t>(r * w + c);
            expected[i] = around == 3 || (around == 2 && cells[i] == 1) ? 1 : 0;
        }
    trial const t{
        R"(
typedef unsigned char cell;
__global__ void life(cell const* now, cell* next, unsigned w, unsigned h) {
    unsigned c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= w || r >= h) return;
    int around = 0;
    for (int dr = -1; dr <= 1; ++dr)
        for (int dc = -1; dc <= 1; ++dc) {
            if (dr == 0 && dc == 0) continue;
            around += now[(r + dr + h) % h * w + (c + dc + w) % w];
        }
    next[r * w + c] = around == 3 || (around == 2 && now[r * w + c]);
})",
        {blocks(w, 32), blocks(h, 4)},
        {32, 4},
        {in(cells), out<std::uint8_t>(w * h), value(std::uint32_t{w}), value(std::uint32_t{h})}};
    CHECK(numbers<std::uint8_t>(outputs(tested_backend(), t)[0]) == expected);
}

TEST_CASE("kernels: k-means assignment") {
    constexpr int points = 500, centres = 7, dimensions = 5;
    auto const p = random_floats(points * dimensions, 17),
               c = random_floats(centres * dimensions, 18);
    std::vector<int> expected;
    for (int i = 0; i < points; ++i) {
        int best = -1;
        double least = 1e300;
        for (int k = 0; k < centres; ++k) {
            double d = 0;
            for (int j = 0; j < dimensions; ++j)
                d += std::pow(double{p[static_cast<std::size_t>(i * dimensions + j)]} -
                                  c[static_cast<std::size_t>(k * dimensions + j)],
                              2);
            if (d < least) least = d, best = k;
        }
        expected.push_back(best);
    }
    trial const t{
        R"(
#include <cfloat>
__global__ void assign(const float* points, const float* centres, int* nearest, int n, int k, int d) {
    extern __shared__ __align__(16) float cache[];
    for (int i = threadIdx.x; i < k * d; i += blockDim.x) cache[i] = centres[i];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best = FLT_MAX;
    int at = -1;
    for (int c = 0; c < k; ++c) {
        float sum = 0.f;
        for (int j = 0; j < d; ++j) { float diff = points[i * d + j] - cache[c * d + j]; sum += diff * diff; }
        if (sum < best) { best = sum; at = c; }
    }
    nearest[i] = at;
})",
        {blocks(points, 64)},
        {64},
        {in(p), in(c), out<int>(points), value(points), value(centres), value(dimensions)},
        centres * dimensions * 4};
    CHECK(ints(t) == expected);
}

TEST_CASE("kernels: Verlet step over float3") {
    auto const x = random_floats(3 * n1, 19), old = random_floats(3 * n1, 20),
               a = random_floats(3 * n1, 21);
    std::vector<float> next(3 * n1);
    for (std::size_t i = 0; i < next.size(); ++i)
        next[i] = 2 * x[i] - old[i] + a[i] * 0.01F * 0.01F;
    trial const t{R"(
__device__ inline float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ inline float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ inline float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }
__global__ void verlet(float3* x, float3* previous, float3 const* a, float dt, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n) return;
    float3 const here = x[i];
    x[i] = 2.0f * here - previous[i] + dt * dt * a[i];
    previous[i] = here;
})",
                  {blocks(n1, 256)},
                  {256},
                  {inout(x, 3), inout(old, 3), in(a, 3), value(0.01F), value(n1)}};
    auto const got = outputs(tested_backend(), t);
    CHECK(distance(numbers<float>(got[0]), next) < 1e-5);
    CHECK(numbers<float>(got[1]) == x);
}

TEST_CASE("kernels: convolution with constant memory") {
    auto const x = random_floats(n1, 22);
    float const filter[] = {0.1F, 0.2F, 0.4F, 0.2F, 0.1F};
    std::vector<float> expected(n1);
    for (int i = 0; i < n1; ++i)
        for (int k = -2; k <= 2; ++k)
            if (i + k >= 0 && i + k < n1)
                expected[static_cast<std::size_t>(i)] +=
                    filter[k + 2] * x[static_cast<std::size_t>(i + k)];
    trial const t{R"(
namespace filters { __constant__ float taps[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f}; }
__constant__ int radius = 2;
namespace signal { namespace detail {
__global__ void convolve(float const* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int k = -radius; k <= radius; ++k)
        if (i + k >= 0 && i + k < n) s += filters::taps[k + radius] * x[i + k];
    y[i] = s;
} } })",
                  {blocks(n1, 192)},
                  {192},
                  {in(x), out<float>(n1), value(n1)}};
    CHECK(distance(floats(t), expected) < 1e-6);
}

TEST_CASE("kernels: bitonic sort in shared memory") {
    auto const x = random_ints(1024, 23, -100'000, 100'000);
    auto expected = x;
    std::sort(expected.begin(), expected.end());
    trial const t{R"(
__global__ void bitonic(int* data) {
    __shared__ int s[1024];
    unsigned t = threadIdx.x;
    s[t] = data[t];
    for (unsigned k = 2; k <= 1024; k <<= 1)
        for (unsigned j = k >> 1; j > 0; j >>= 1) {
            __syncthreads();
            unsigned other = t ^ j;
            if (other > t) {
                bool up = (t & k) == 0;
                if ((s[t] > s[other]) == up) { int v = s[t]; s[t] = s[other]; s[other] = v; }
            }
        }
    __syncthreads();
    data[t] = s[t];
})",
                  {1},
                  {1024},
                  {inout(x)}};
    CHECK(ints(t) == expected);
}

TEST_CASE("kernels: compaction with ballots") {
    auto const x = random_ints(256, 24, -50, 50);
    std::vector<int> expected(256, -1);
    for (std::size_t w = 0; w < 8; ++w) {
        auto at = w * 32;
        for (std::size_t i = w * 32; i < (w + 1) * 32; ++i)
            if (x[i] > 0) expected[at++] = x[i];
    }
    trial const t{R"(
__global__ void compact(int const* x, int* y) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31u;
    y[i] = -1;
    unsigned positive = __ballot_sync(0xffffffffu, x[i] > 0);
    __syncwarp();
    if (x[i] > 0) y[i - lane + __popc(positive & ((1u << lane) - 1))] = x[i];
})",
                  {2},
                  {128},
                  {in(x), out<int>(256)}};
    CHECK(ints(t) == expected);
}

TEST_CASE("kernels: votes and reductions of a warp and a block") {
    auto const x = random_ints(96, 25, 0, 9);
    std::vector<int> expected;
    for (std::size_t w = 0; w < 3; ++w) {
        auto const begin = x.begin() + static_cast<int>(w) * 32, end = begin + 32;
        expected.push_back(std::all_of(begin, end, [](int v) { return v < 9; }) ? 1 : 0);
        expected.push_back(std::any_of(begin, end, [](int v) { return v == 3; }) ? 1 : 0);
        expected.push_back(std::accumulate(begin, end, 0));
        expected.push_back(-*std::max_element(begin, end));
        expected.push_back(static_cast<int>(std::count(begin, end, *begin)));
        expected.push_back(static_cast<int>(std::count(x.begin(), x.end(), 4)));
    }
    trial const t{R"(
__global__ void votes(int const* x, int* y) {
    int v = x[threadIdx.x];
    int all = __all_sync(~0u, v < 9), any = __any_sync(~0u, v == 3);
    int sum = __reduce_add_sync(~0u, v), least = __reduce_min_sync(~0u, -v);
    int alike = __popc(__match_any_sync(~0u, v));
    int fours = __syncthreads_count(v == 4);
    if (!__syncthreads_and(v >= 0) || __syncthreads_or(v > 100)) fours = -1000;
    if (threadIdx.x % 32 == 0) {
        int* to = y + threadIdx.x / 32 * 6;
        to[0] = all; to[1] = any; to[2] = sum; to[3] = least; to[4] = alike; to[5] = fours;
    }
})",
                  {1},
                  {96},
                  {in(x), out<int>(18)}};
    CHECK(ints(t) == expected);
}

TEST_CASE("kernels: dot product, double atomics, a guard that returns before the barrier") {
    auto const a = random_floats(n1, 26), b = random_floats(n1, 27);
    double expected = 0;
    for (std::size_t i = 0; i < n1; ++i) expected += double{a[i]} * b[i];
    trial const t{R"(
__global__ void dot(float const* a, float const* b, double* total, int n) {
    __shared__ double sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd_block(&sum, (double)a[i] * b[i]);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(total, sum);
})",
                  {blocks(n1, 96)},
                  {96},
                  {in(a), in(b), inout(std::vector<double>{0}), value(n1)}};
    auto const got = numbers<double>(outputs(tested_backend(), t)[0]);
    CHECK(std::abs(got[0] - expected) < 1e-9);
}

TEST_CASE("kernels: three-dimensional grid and block") {
    constexpr int w = 7, h = 6, d = 10;
    std::vector<int> expected(w * h * d);
    std::iota(expected.begin(), expected.end(), 0);
    trial const t{R"(
__global__ void number(int* y, dim3 size) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y,
             z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < size.x && r < size.y && z < size.z) y[(z * size.y + r) * size.x + x] = (z * size.y + r) * size.x + x;
})",
                  {2, 3, 4},
                  {4, 2, 3},
                  {out<int>(w * h * d),
                   {lkt::argument_data{{lkt::scalar_type::uint32, 3},
                                       false,
                                       [] {
                                           std::uint32_t const s[] = {w, h, d};
                                           std::vector<std::byte> b(sizeof s);
                                           std::memcpy(b.data(), s, sizeof s);
                                           return b;
                                       }()},
                    lkt::direction::in}}};
    CHECK(ints(t) == expected);
}

TEST_CASE("kernels: copy with float4 and a tail") {
    auto const x = random_floats(n1 + 3, 28);
    trial const t{R"(
__global__ void copy(float const* __restrict__ a, float* __restrict__ b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) reinterpret_cast<float4*>(b)[i] = reinterpret_cast<const float4*>(a)[i];
    if (i < n % 4) b[n / 4 * 4 + i] = a[n / 4 * 4 + i];
})",
                  {2},
                  {128},
                  {in(x), out<float>(n1 + 3), value(n1 + 3)}};
    CHECK(floats(t) == x);
}

TEST_CASE("kernels: template kernels get their arguments by name or by definition") {
    auto const x = random_floats(256, 29);
    std::vector<float> expected(64);
    for (std::size_t i = 0; i < 64; ++i)
        expected[i] = x[4 * i] + x[4 * i + 1] + x[4 * i + 2] + x[4 * i + 3];
    trial t{R"(
namespace sums {
template <typename T, int PER_THREAD, bool NEGATE = false>
__global__ void fold(T const* x, T* y) {
    T sum = 0;
#pragma unroll PER_THREAD
    for (int k = 0; k < PER_THREAD; ++k) sum += x[(blockIdx.x * blockDim.x + threadIdx.x) * PER_THREAD + k];
    y[blockIdx.x * blockDim.x + threadIdx.x] = NEGATE ? -sum : sum;
} })",
            {2},
            {32},
            {in(x), out<float>(64)}};
    t.template_parameters = {"typename T", "int PER_THREAD", "bool NEGATE = false"};
    t.definitions.values = {{"T", std::string{"float"}}, {"PER_THREAD", std::int64_t{4}}};
    CHECK(distance(floats(t), expected) < 1e-6);
    t.template_parameters.clear();
    t.name = "fold<float, PER_THREAD>";
    CHECK(distance(floats(t), expected) < 1e-6);
    t.template_parameters = {"typename T", "int PER_THREAD"};
    t.name = "fold";
    t.definitions.values.pop_back();
    auto const no = failure_of<lkt::refused>(tested_backend(), t);
    CHECK(no.why.find("PER_THREAD has no value") != std::string::npos);
    CHECK(no.why.find("fold<16>") != std::string::npos);
}

TEST_CASE("kernels: n-body forces with device lambdas and shared structs") {
    constexpr int n = 150;
    auto const p = random_floats(4 * n, 30);
    std::vector<float> expected(3 * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            double d[3], r = 0.01;
            for (std::size_t k = 0; k < 3; ++k) {
                d[k] = double{p[4 * j + k]} - p[4 * i + k];
                r += d[k] * d[k];
            }
            for (std::size_t k = 0; k < 3; ++k)
                expected[3 * i + k] += static_cast<float>(p[4 * j + 3] * d[k] / std::pow(r, 1.5));
        }
    trial const t{R"(
struct body { float3 at; float mass; };
__global__ void forces(float4 const* bodies, float3* out, int n) {
    __shared__ body tile[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float3 me = i < n ? make_float3(bodies[i].x, bodies[i].y, bodies[i].z) : float3{}, sum{};
    auto pull = [&](body const& b) {
        float3 d = make_float3(b.at.x - me.x, b.at.y - me.y, b.at.z - me.z);
        float inverse = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
        float s = b.mass * inverse * inverse * inverse;
        sum.x += s * d.x; sum.y += s * d.y; sum.z += s * d.z;
    };
    for (int j0 = 0; j0 < n; j0 += 32) {
        int j = j0 + threadIdx.x;
        tile[threadIdx.x] = j < n ? body{{bodies[j].x, bodies[j].y, bodies[j].z}, bodies[j].w} : body{};
        __syncthreads();
        for (int k = 0; k < 32; ++k) pull(tile[k]);
        __syncthreads();
    }
    if (i < n) out[i] = sum;
})",
                  {blocks(n, 32)},
                  {32},
                  {in(p, 4), out<float>(3 * n, 3), value(n)}};
    CHECK(distance(floats(t), expected) < 1e-3);
}

TEST_CASE("kernels: half precision is rounded after each operation") {
    std::vector<std::uint16_t> const x{0x3c00, 0x4000, 0x7bff, 0x0001}; // 1, 2, 65504, 2^-24
    trial const t{R"(
#include <cuda_fp16.h>
__global__ void twice(__half const* x, __half* y) {
    y[threadIdx.x] = __hadd(x[threadIdx.x], x[threadIdx.x]);
})",
                  {1},
                  {4},
                  {in(x), out<std::uint16_t>(4)}};
    CHECK(numbers<std::uint16_t>(outputs(tested_backend(), t)[0]) ==
          std::vector<std::uint16_t>{0x4000, 0x4400, 0x7c00, 0x0002});
}

TEST_CASE("kernels: integer intrinsics and every atomic") {
    std::vector<int> const expected{7, 3, 31, 4, 32, 0x0f, -8, 5, 12, 9, 6, 0, 40, 42, 3, 15};
    trial const t{R"(
__device__ unsigned long long wide = 40;
__global__ void facts(int* y) {
    __shared__ int v; __shared__ unsigned u; __shared__ float f;
    v = 5; u = 12; f = 2.5f;
    y[0] = atomicMax(&v, 7) + 2; y[1] = __popc(0x1011); y[2] = __clz(1); y[3] = __ffs(8);
    y[4] = __clz(0); y[5] = (int)(__brev(0xf0000000u)); y[6] = __float2int_rd(-7.5f);
    y[7] = (int)atomicExch(&f, 1.0f) + 3; y[8] = atomicCAS(&u, 12u, 9u); y[9] = u;
    y[10] = atomicMin(&v, 6) - 1; atomicAnd(&u, 0u); y[11] = u;
    y[12] = (int)atomicAdd(&wide, 2ull); y[13] = (int)atomicExch(&wide, 7ull);
    y[14] = min(3, 4u); atomicOr(&u, 12u); atomicXor(&u, 3u); y[15] = u;
})",
                  {1},
                  {1},
                  {out<int>(16)}};
    CHECK(ints(t) == expected);
}
