// expect: accepted
#include <cuda_runtime.h>
#include <math.h>
__global__ void k(int* c, int n) {
c[0] = (int)sqrtf((float)n);
}
