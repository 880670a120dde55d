// SPDX-License-Identifier: BSL-1.0
// gemm_half by inline PTX: tiles of 64 x 64, copied with cp.async in two stages, read with ldmatrix,
// multiplied with mma.sync. Four warps a block, each with a quarter of 32 x 32. Where rows do not
// begin at multiples of 16 bytes, tiles are filled element by element.
#include <cuda_fp16.h>

constexpr int tile = 64, depth = 32, pad = 8;

__device__ __forceinline__ unsigned shared_address(void const* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// A tile of `rows` x `columns` of a matrix with `height` x `width`, whose rest is zero.
template <int rows, int columns, int stride>
__device__ __forceinline__ void fill(__half (*to)[stride], __half const* from, int height, int width,
                                     int row, int column, bool aligned) {
    constexpr int pieces = columns / 8;
    for (int i = threadIdx.x; i < rows * pieces; i += blockDim.x) {
        int const r = i / pieces, c = i % pieces * 8;
        bool const inside = row + r < height && column + c + 8 <= width;
        if (aligned) {
            bool const some = row + r < height && column + c < width;
            int const bytes = inside ? 16 : some ? 2 * (width - column - c) : 0;
            __half const* const source = some ? from + (row + r) * width + column + c : from;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                         :
                         : "r"(shared_address(&to[r][c])), "l"(source), "r"(bytes)
                         : "memory");
        } else {
            for (int k = 0; k < 8; ++k)
                to[r][c + k] = row + r < height && column + c + k < width
                                   ? from[(row + r) * width + column + c + k]
                                   : __float2half(0.0f);
        }
    }
}

__global__ void gemm_half(__half const* a, __half const* b, __half* c, int m, int k, int n) {
    __shared__ __align__(16) __half tile_a[2][tile][depth + pad];
    __shared__ __align__(16) __half tile_b[2][depth][tile + pad];
    int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int const top = blockIdx.y * tile, left = blockIdx.x * tile;
    int const own_row = warp / 2 * 32, own_column = warp % 2 * 32;
    bool const aligned_a = k % 8 == 0, aligned_b = n % 8 == 0;
    float sums[2][4][4] = {};
    int const stages = (k + depth - 1) / depth;
    fill<tile, depth>(tile_a[0], a, m, k, top, 0, aligned_a);
    fill<depth, tile>(tile_b[0], b, k, n, 0, left, aligned_b);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int s = 0; s < stages; ++s) {
        if (s + 1 < stages) {
            fill<tile, depth>(tile_a[(s + 1) % 2], a, m, k, top, (s + 1) * depth, aligned_a);
            fill<depth, tile>(tile_b[(s + 1) % 2], b, k, n, (s + 1) * depth, left, aligned_b);
        }
        asm volatile("cp.async.commit_group;\n"
                     "cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        for (int d = 0; d < depth; d += 16) {
            unsigned x[2][4], y[4][2];
            for (int i = 0; i < 2; ++i) {
                __half const* const from = &tile_a[s % 2][own_row + 16 * i + lane % 16][d + lane / 16 * 8];
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(x[i][0]), "=r"(x[i][1]), "=r"(x[i][2]), "=r"(x[i][3])
                             : "r"(shared_address(from)));
            }
            for (int j = 0; j < 4; ++j) {
                __half const* const from = &tile_b[s % 2][d + lane % 16][own_column + 8 * j];
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                             : "=r"(y[j][0]), "=r"(y[j][1])
                             : "r"(shared_address(from)));
            }
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 4; ++j)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(sums[i][j][0]), "+f"(sums[i][j][1]), "+f"(sums[i][j][2]),
                                   "+f"(sums[i][j][3])
                                 : "r"(x[i][0]), "r"(x[i][1]), "r"(x[i][2]), "r"(x[i][3]),
                                   "r"(y[j][0]), "r"(y[j][1]));
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
            for (int e = 0; e < 4; ++e) {
                int const row = top + own_row + 16 * i + lane / 4 + e / 2 * 8;
                int const column = left + own_column + 8 * j + lane % 4 * 2 + e % 2;
                if (row < m && column < n) c[row * n + column] = __float2half(sums[i][j][e]);
            }
}
