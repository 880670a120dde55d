// SPDX-License-Identifier: BSL-1.0
// Kernels that read through tensor maps.
#pragma once

#include <string>

namespace tensor_map_texts {

inline std::string const waiting = R"(
__device__ inline unsigned place(void const* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ inline void begin(unsigned bar) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.proxy.async;" ::"r"(bar) : "memory");
}
__device__ inline void expect(unsigned bar, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
__device__ inline void wait(unsigned bar, unsigned parity) {
    unsigned done = 0;
    while (done == 0)
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.b32 %0, 1, 0, p;\n\t}" : "=r"(done) : "r"(bar), "r"(parity) : "memory");
}
__device__ inline void tile_of(CUtensorMap const& map, unsigned to, unsigned bar, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];"
                 ::"r"(to), "l"(&map), "r"(x), "r"(y), "r"(bar) : "memory");
}
)";

/// B is twice A; needs BK.
inline std::string const doubled =
    "// lkt: tensor_map A_map = A[M][K], box [ROWS][BK], if K % 4 == 0\n"
    "constexpr int ROWS = 8;\n" +
    waiting + R"(
__global__ void doubled(float const* A, float* B, int M, int K,
                        const __grid_constant__ CUtensorMap A_map) {
    __shared__ alignas(128) float tile[8 * BK];
    __shared__ alignas(8) unsigned long long arrived;
    int const x = blockIdx.x * BK, y = blockIdx.y * 8;
    if (K % 4 != 0) {
        for (int i = threadIdx.x; i < 8 * BK; i += blockDim.x)
            if (y + i / BK < M && x + i % BK < K) {
                long const at = (long)(y + i / BK) * K + x + i % BK;
                B[at] = 2 * A[at];
            }
        return;
    }
    unsigned const bar = place(&arrived);
    if (threadIdx.x == 0) begin(bar);
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(bar, sizeof tile);
        tile_of(A_map, place(tile), bar, x, y);
    }
    wait(bar, 0);
    for (int i = threadIdx.x; i < 8 * BK; i += blockDim.x)
        if (y + i / BK < M && x + i % BK < K)
            B[(long)(y + i / BK) * K + x + i % BK] = 2 * tile[i];
}
)";

/// B is A, 64 x 64; the map is the first parameter.
inline std::string const swizzled =
    "// lkt: tensor_map A_map = A[64][64], box [64][64], swizzle 128B\n"
    "#include <cuda_fp16.h>\n" +
    waiting + R"(
__global__ void swizzled(const __grid_constant__ CUtensorMap A_map, __half const* A, __half* B) {
    __shared__ alignas(1024) __half tile[64 * 64];
    __shared__ alignas(8) unsigned long long arrived;
    unsigned const bar = place(&arrived);
    if (threadIdx.x == 0) begin(bar);
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(bar, sizeof tile);
        tile_of(A_map, place(tile), bar, 0, 0);
    }
    wait(bar, 0);
    int const row = threadIdx.x;
    for (int c = 0; c < 64; ++c) B[row * 64 + c] = tile[row * 64 + (((c / 8) ^ (row % 8)) * 8 + c % 8)];
}
)";

} // namespace tensor_map_texts
