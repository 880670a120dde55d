// SPDX-License-Identifier: BSL-1.0
__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    __shared__ __align__(8) unsigned long long arrived;
    __shared__ float tile[256];
    unsigned const bar = static_cast<unsigned>(__cvta_generic_to_shared(&arrived));
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(256) : "memory");
    __syncthreads();
    unsigned const other = threadIdx.x ^ 128;
    for (int phase = 0; phase < 2; ++phase) {
        if (threadIdx.x < 128) // the others see their neighbour's work only if they wait
            for (volatile int k = 0; k < 100; ++k) {}
        tile[threadIdx.x] = i < n ? (phase == 0 ? a[i] : b[i]) : 0;
        asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(bar) : "memory");
        asm volatile("{ .reg .pred done; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;"
                     " @done bra END; bra AGAIN; END: }" ::"r"(bar), "r"(phase) : "memory");
        float const theirs = tile[other];
        __syncthreads();
        tile[other] = theirs;
        __syncthreads();
        float const own = tile[threadIdx.x];
        if (i < n) c[i] = phase == 0 ? own : c[i] + own;
        __syncthreads();
    }
}
