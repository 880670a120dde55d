// expect: accepted
__global__ void k(int* c, int n) {
#pragma unroll
for (int i = 0; i < 4; ++i) c[0] = i;
}
