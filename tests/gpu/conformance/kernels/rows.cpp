// SPDX-License-Identifier: BSL-1.0
// Each row of a matrix is normalised by what all of its elements say.
#include "../kernel_case.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace conformance;
using namespace support;

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
    judge({.cuda = R"(
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
           .wgsl = {R"(
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> columns: i32;

const width = 128;
var<workgroup> local: array<f32, width>;

@compute @workgroup_size(width)
fn softmax(@builtin(workgroup_id) block: vec3<u32>, @builtin(local_invocation_id) id: vec3<u32>) {
    let row = i32(block.x) * columns;
    let t = i32(id.x);
    var m = -3.4e38;
    for (var i = t; i < columns; i += width) { m = max(m, x[row + i]); }
    local[t] = m;
    workgroupBarrier();
    for (var s = width / 2; s > 0; s /= 2) {
        if (t < s) { local[t] = max(local[t], local[t + s]); }
        workgroupBarrier();
    }
    m = local[0];
    workgroupBarrier();
    var sum = 0.0;
    for (var i = t; i < columns; i += width) { sum += exp(x[row + i] - m); }
    local[t] = sum;
    workgroupBarrier();
    for (var s = width / 2; s > 0; s /= 2) {
        if (t < s) { local[t] += local[t + s]; }
        workgroupBarrier();
    }
    for (var i = t; i < columns; i += width) { y[row + i] = exp(x[row + i] - m) / local[0]; }
})"},
           .grid = {rows},
           .block = {128},
           .arguments = {in(x), out<float>(rows * columns), value(columns)},
           .expected = {nearly(expected, 2e-6)}});
}

TEST_CASE("kernels: layer norm by a warp for each row") {
    constexpr int rows = 10, columns = 100;
    auto const x = random_floats(rows * columns, 13), g = random_floats(columns, 14),
               b = random_floats(columns, 15);
    std::vector<float> expected;
    for (int r = 0; r < rows; ++r) {
        double mean = 0, square = 0;
        for (int c = 0; c < columns; ++c) mean += x[at(r * columns + c)];
        mean /= columns;
        for (int c = 0; c < columns; ++c) square += std::pow(x[at(r * columns + c)] - mean, 2);
        for (int c = 0; c < columns; ++c)
            expected.push_back(static_cast<float>(
                (x[at(r * columns + c)] - mean) / std::sqrt(square / columns + 1e-5) * g[at(c)] +
                b[at(c)]));
    }
    judge({.cuda = R"(
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
           .wgsl = {R"(
struct Extent { rows: i32, columns: i32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> gamma: array<f32>;
@group(0) @binding(2) var<storage, read> beta: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> extent: Extent;

var<workgroup> lanes: array<array<f32, 32>, 4>;

// Of the 32 lanes of a row; every row of the workgroup comes along.
fn all_sum(v: f32, local: vec3<u32>) -> f32 {
    lanes[local.y][local.x] = v;
    workgroupBarrier();
    for (var s = 16u; s > 0u; s >>= 1u) {
        if (local.x < s) { lanes[local.y][local.x] += lanes[local.y][local.x + s]; }
        workgroupBarrier();
    }
    let sum = lanes[local.y][0];
    workgroupBarrier();
    return sum;
}

@compute @workgroup_size(32, 4)
fn layer_norm(@builtin(workgroup_id) block: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let row = i32(block.x * 4u + local.y);
    let columns = select(0, extent.columns, row < extent.rows);
    let count = f32(extent.columns);
    var sum = 0.0;
    for (var c = i32(local.x); c < columns; c += 32) { sum += x[row * columns + c]; }
    let mean = all_sum(sum, local) / count;
    var square = 0.0;
    for (var c = i32(local.x); c < columns; c += 32) {
        let d = x[row * columns + c] - mean;
        square += d * d;
    }
    let scale = inverseSqrt(all_sum(square, local) / count + 1e-5);
    for (var c = i32(local.x); c < columns; c += 32) {
        y[row * columns + c] = (x[row * columns + c] - mean) * scale * gamma[c] + beta[c];
    }
})"},
           .grid = {blocks(rows, 4)},
           .block = {32, 4},
           .arguments =
               {in(x), in(g), in(b), out<float>(rows * columns), value(rows), value(columns)},
           .expected = {nearly(expected, 1e-5)}});
}
