// SPDX-License-Identifier: BSL-1.0
// C = A B for square matrices of 4096 floats, with the tunable parameters of Kernel Tuner's matrix
// multiplication: block_size_x * block_size_y threads, each of which computes tile_size_x * tile_size_y
// elements, from tiles in shared memory that are block_size_x deep.
#define WIDTH 4096

extern "C" __global__ void matmul(float* C, float const* A, float const* B) {
    __shared__ float a[block_size_y * tile_size_y][block_size_x];
    __shared__ float b[block_size_y * tile_size_y][block_size_x * tile_size_x];
    int const tx = threadIdx.x, ty = threadIdx.y;
    int const x = blockIdx.x * block_size_x * tile_size_x + tx;
    int const y = blockIdx.y * block_size_y * tile_size_y + ty;
    float sum[tile_size_y][tile_size_x] = {};

    for (int k = 0; k < WIDTH; k += block_size_x) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < tile_size_y; ++i) {
            int const row = ty + block_size_y * i;
            a[row][tx] = A[(y + block_size_y * i) * WIDTH + k + tx];
#pragma unroll
            for (int j = 0; j < tile_size_x; ++j)
                b[row][tx + j * block_size_x] = B[(k + row) * WIDTH + x + j * block_size_x];
        }
        __syncthreads();
#pragma unroll
        for (int kb = 0; kb < block_size_x; ++kb)
#pragma unroll
            for (int i = 0; i < tile_size_y; ++i)
#pragma unroll
                for (int j = 0; j < tile_size_x; ++j)
                    sum[i][j] += a[ty + block_size_y * i][kb] * b[kb][tx + j * block_size_x];
    }
#pragma unroll
    for (int i = 0; i < tile_size_y; ++i)
#pragma unroll
        for (int j = 0; j < tile_size_x; ++j)
            C[(y + block_size_y * i) * WIDTH + x + block_size_x * j] = sum[i][j];
}
