// SPDX-License-Identifier: BSL-1.0
#include <cuda_fp16.h>

__device__ unsigned shared_address(void const* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ void copy16(__half* to, __half const* from, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from), "r"(bytes)
                 : "memory");
}

__global__ void gemm_half(__half const* a, __half const* b, float* c, int m, int k, int n) {
    __shared__ __align__(16) __half x[16][24], y[16][8];
    int const lane = threadIdx.x, top = blockIdx.y * 16, left = blockIdx.x * 8;
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int i = 0; i < k; i += 16) {
        int const r = lane / 2, h = lane % 2 * 8;
        bool const there = top + r < m;
        copy16(&x[r][h], there ? a + (top + r) * k + i + h : a, there ? 16 : 0);
        if (lane < 16) copy16(&y[lane][0], b + (i + lane) * n + left, 16);
        asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
        __syncwarp();
        unsigned x0, x1, x2, x3, y0, y1;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x0), "=r"(x1), "=r"(x2), "=r"(x3)
                     : "r"(shared_address(&x[lane % 16][lane / 16 * 8])));
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                     : "=r"(y0), "=r"(y1)
                     : "r"(shared_address(&y[lane % 16][0])));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(s0), "+f"(s1), "+f"(s2), "+f"(s3)
                     : "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(y0), "r"(y1));
        __syncwarp();
    }
    int const row = top + lane / 4, column = left + lane % 4 * 2;
    if (row < m) c[row * n + column] = s0, c[row * n + column + 1] = s1;
    if (row + 8 < m) c[(row + 8) * n + column] = s2, c[(row + 8) * n + column + 1] = s3;
}
