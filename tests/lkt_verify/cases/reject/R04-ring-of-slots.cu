// SPDX-License-Identifier: BSL-1.0
__global__ void rowmax(float const* x, float* most, int rows, int cols) {
    constexpr int slots = 8, share = 160, tile = 64 * share;
    __shared__ float ring[slots][2];
    float const* const row = x + blockIdx.x * cols;
    int const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float best = row[0];
    for (int first = 0, k = 0; first < cols; first += tile, ++k) {
        float own = row[0];
        int const begin = first + threadIdx.x * share;
        for (int i = begin; i < min(begin + share, cols); ++i) own = fmaxf(own, row[i]);
        for (int far = 16; far > 0; far /= 2) own = fmaxf(own, __shfl_xor_sync(0xffffffffu, own, far));
        if (lane == 0) ring[k % slots][warp] = own;
        if (k % slots < slots - 1 && first + tile < cols) continue;
        __syncthreads();
        for (int s = 0; s <= k % slots; ++s) best = fmaxf(best, fmaxf(ring[s][0], ring[s][1]));
    }
    if (threadIdx.x == 0) most[blockIdx.x] = best;
}
