// SPDX-License-Identifier: BSL-1.0
// Kernels of many kinds, for ../measure.cpp. Buffers come first, then whole numbers.
using u32 = unsigned int;

__device__ inline int index() { return (int)(blockIdx.x * blockDim.x + threadIdx.x); }
__device__ inline int stride() { return (int)(gridDim.x * blockDim.x); }

// --- Bound by memory --------------------------------------------------------------------------

extern "C" __global__ void copy(float* to, float const* from, int n) {
    for (int i = index(); i < n; i += stride()) to[i] = from[i];
}

extern "C" __global__ void saxpy(float* to, float const* x, float const* y, int n) {
    for (int i = index(); i < n; i += stride()) to[i] = 2.5f * x[i] + y[i];
}

extern "C" __global__ void reduce(float* to, float const* x, int n) {
    __shared__ float part[8];
    float sum = 0;
    for (int i = index(); i < n; i += stride()) sum += x[i];
    for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; ++k) sum += part[k];
        to[blockIdx.x] = sum;
    }
}

// Blocks of 32 x 8 threads.
extern "C" __global__ void transpose(float* to, float const* from, int n) {
    __shared__ float tile[32][33];
    int const x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = from[(y + k) * n + x];
    __syncthreads();
    int const u = blockIdx.y * 32 + threadIdx.x, v = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) to[(v + k) * n + u] = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" __global__ void stencil2(float* to, float const* from, int n) {
    int const x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, i = y * n + x;
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1)
        to[i] = from[i];
    else
        to[i] = 0.2f * (from[i] + from[i - 1] + from[i + 1] + from[i - n] + from[i + n]);
}

extern "C" __global__ void stencil3(float* to, float const* from, int n) {
    int const x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int const z = blockIdx.z, p = n * n, i = (z * n + y) * n + x;
    if (x == 0 || y == 0 || z == 0 || x == n - 1 || y == n - 1 || z == n - 1)
        to[i] = from[i];
    else
        to[i] = 0.4f * from[i] + 0.1f * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n] +
                                         from[i - p] + from[i + p]);
}

// One block of 256 threads a row.
extern "C" __global__ void softmax(float* to, float const* from, int n) {
    __shared__ float part[8];
    float const* const row = from + (size_t)blockIdx.x * n;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 256) sum += expf(row[i]);
    for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, k);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < 8; ++k) sum += part[k];
    for (int i = threadIdx.x; i < n; i += 256) to[(size_t)blockIdx.x * n + i] = expf(row[i]) / sum;
}

// One warp a row, 8 warps a block.
extern "C" __global__ void matvec(float* y, float const* a, float const* x, int n) {
    int const row = blockIdx.x * 8 + threadIdx.x / 32;
    float sum = 0;
    for (int i = threadIdx.x % 32; i < n; i += 32) sum += a[(size_t)row * n + i] * x[i];
    for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (threadIdx.x % 32 == 0) y[row] = sum;
}

// --- Bound by latency, by atomics, by chance ---------------------------------------------------

extern "C" __global__ void chase(u32* to, u32 const* next, int mask, int steps) {
    u32 at = threadIdx.x;
    for (int k = 0; k < steps; ++k) at = (next[at] + k) & mask;
    to[threadIdx.x] = at;
}

extern "C" __global__ void gather(float* to, float const* from, u32 const* where, int n, int mask) {
    for (int i = index(); i < n; i += stride()) to[i] = from[where[i] & mask];
}

// Into memory of each block's own: few addresses that all blocks add to lie in one part of the L2
// cache or in many, and the time would depend on where the allocator puts them.
extern "C" __global__ void histogram(u32* bins, u32 const* x, int n) {
    __shared__ u32 own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = index(); i < n; i += stride()) atomicAdd(&own[x[i] & 255], 1u);
    __syncthreads();
    bins[index()] = own[threadIdx.x];
}

extern "C" __global__ void histogram_global(u32* bins, u32 const* x, int n) {
    for (int i = index(); i < n; i += stride()) atomicAdd(&bins[x[i] & 0xfffff], 1u);
}

extern "C" __global__ void mandelbrot(u32* to, int n, int most) {
    int const x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float const cx = 3.0f * x / n - 2.25f, cy = 3.0f * y / n - 1.5f;
    float u = 0, v = 0;
    int k = 0;
    for (; k < most && u * u + v * v < 4; ++k) {
        float const w = u * u - v * v + cx;
        v = 2 * u * v + cy;
        u = w;
    }
    to[y * n + x] = k;
}

// --- Bound by arithmetic -----------------------------------------------------------------------

// 16 multiply-adds an iteration.
extern "C" __global__ void fma_loop(float* to, int n) {
    float x = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < n; ++k) {
#pragma unroll
        for (int j = 0; j < 16; ++j) x = fmaf(x, 0.999f, 0.5f);
    }
    to[index()] = x;
}

extern "C" __global__ void fma_double(float* to, int n) {
    double x = threadIdx.x;
    for (int k = 0; k < n; ++k) x = fma(x, 0.999, 0.5);
    to[index()] = (float)x;
}

extern "C" __global__ void sine(float* to, int n) {
    float x = threadIdx.x * 1e-3f;
    for (int k = 0; k < n; ++k) x = sinf(x) + 0.01f;
    to[index()] = x;
}

extern "C" __global__ void hash(u32* to, int n) {
    u32 x = index();
    for (int k = 0; k < n; ++k) x = (x ^ (x >> 15)) * 0x85ebca6bu + k;
    to[index()] = x;
}

extern "C" __global__ void matmul(float* c, float const* a, float const* b, int n) {
    __shared__ float p[16][16], q[16][16];
    int const tx = threadIdx.x, ty = threadIdx.y;
    int const x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        p[ty][tx] = a[y * n + k + tx];
        q[ty][tx] = b[(k + ty) * n + x];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 16; ++j) sum += p[ty][j] * q[j][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

extern "C" __global__ void matmul_plain(float* c, float const* a, float const* b, int n) {
    int const x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

// Blocks of 256 threads; places are x, y, z, mass.
extern "C" __global__ void nbody(float* force, float const* places, int n) {
    __shared__ float4 near[256];
    float4 const* const all = (float4 const*)places;
    float4 const own = all[index()];
    float x = 0, y = 0, z = 0;
    for (int k = 0; k < n; k += 256) {
        near[threadIdx.x] = all[k + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; ++j) {
            float const dx = near[j].x - own.x, dy = near[j].y - own.y, dz = near[j].z - own.z;
            float const r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
            float const f = near[j].w * r * r * r;
            x += f * dx, y += f * dy, z += f * dz;
        }
        __syncthreads();
    }
    force[index() * 3] = x, force[index() * 3 + 1] = y, force[index() * 3 + 2] = z;
}
