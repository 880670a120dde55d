// SPDX-License-Identifier: BSL-1.0
struct number {
    float v;
    __device__ number() : v(0) {}
    __device__ number(float a) : v(a) {}
};

template <class T> __device__ T& tile(int row, int column) {
    __shared__ alignas(16) T all[TILE][TILE + 1];
    return all[row][column];
}

__global__ void transpose(float const* x, float* y, int rows, int cols) {
    int const left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    int const tx = threadIdx.x, ty = threadIdx.y;
    if (top + ty < rows && left + tx < cols) tile<number>(ty, tx) = x[(top + ty) * cols + left + tx];
    if (left + ty < cols && top + tx < rows) y[(left + ty) * rows + top + tx] = tile<number>(tx, ty).v;
}
