// SPDX-License-Identifier: BSL-1.0
// For each token, the two experts with the largest logits (of equal ones, those with the smaller
// numbers), and their weights: the softmax over all experts, divided by the sum of these two. One
// thread a token.
#include <cuda_fp16.h>

__global__ void
moe_gating(__half const* logits, float* weights, int* chosen, int tokens, int experts) {
    int const token = blockIdx.x * blockDim.x + threadIdx.x;
    if (token >= tokens) return;
    int first = -1, second = -1;
    float largest = 0.0f, next = 0.0f;
    for (int i = 0; i < experts; ++i) {
        float const logit = __half2float(logits[token * experts + i]);
        if (first < 0 || logit > largest) {
            second = first, next = largest;
            first = i, largest = logit;
        } else if (second < 0 || logit > next) {
            second = i, next = logit;
        }
    }
    float total = 0.0f;
    for (int i = 0; i < experts; ++i)
        total += expf(__half2float(logits[token * experts + i]) - largest);
    float const p = 1.0f / total, q = expf(next - largest) / total;
    weights[2 * token] = p / (p + q);
    weights[2 * token + 1] = q / (p + q);
    chosen[2 * token] = first;
    chosen[2 * token + 1] = second;
}
