// expect: accepted
#include <cuda_fp16.h>
__global__ void k(int* c, int n) {
c[0] = (int)__half2float(__float2half(3.0f));
}
