// SPDX-License-Identifier: BSL-1.0
#include <mma.h>
__global__ void KERNEL(T const* a, T const* b, O* c, int m, int n, int k) {
    using namespace nvcuda;
    __shared__ T left[16][16], right[16][16];
    __shared__ float tile[16][16];
    int const x = threadIdx.x, y = threadIdx.y;
    int const col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> l;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::row_major> r;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int from = 0; from < k; from += 16) {
        left[y][x] = row < m && from + x < k ? a[row * k + from + x] : T(0.0f);
        right[y][x] = col < n && from + y < k ? b[(from + y) * n + col] : T(0.0f);
        __syncthreads();
        if (y < 2) {
            wmma::load_matrix_sync(l, &left[0][0], 16);
            wmma::load_matrix_sync(r, &right[0][0], 16);
            wmma::mma_sync(sum, l, r, sum);
        }
        __syncthreads();
    }
    if (y < 2) wmma::store_matrix_sync(&tile[0][0], sum, 16, wmma::mem_row_major);
    __syncthreads();
    if (row < m && col < n) c[row * n + col] = down(tile[y][x]);
}
