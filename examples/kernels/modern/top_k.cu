// SPDX-License-Identifier: BSL-1.0
// The K largest values of each row and their indices, the largest first; of equal values, the one
// with the smaller index. One thread a row.
constexpr int K = 8;

__global__ void top_k(float const* x, float* values, int* indices, int rows, int columns) {
    int const row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float best[K];
    int at[K];
    for (int j = 0; j < K; ++j) best[j] = -INFINITY, at[j] = 0;
    for (int i = 0; i < columns; ++i) {
        float value = x[row * columns + i];
        int index = i;
        for (int j = 0; j < K; ++j) {
            if (!(value > best[j] || (value == best[j] && index < at[j]))) continue;
            float const lower = best[j];
            int const its = at[j];
            best[j] = value, at[j] = index;
            value = lower, index = its;
        }
    }
    for (int j = 0; j < K; ++j) {
        values[row * K + j] = best[j];
        indices[row * K + j] = at[j];
    }
}
