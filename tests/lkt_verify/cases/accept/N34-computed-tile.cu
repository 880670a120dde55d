// SPDX-License-Identifier: BSL-1.0
constexpr int share(int k) {
    int sum = 0;
    for (int i = 0; i < k; ++i) sum += i * i;
    return sum; // 20449 for 40
}

__global__ void vecadd(float const* a, float const* b, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    int const part = i / share(40), rest = i % share(40);
    if (i < n) c[i] = a[part * share(40) + rest] + b[i];
}
