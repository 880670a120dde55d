// expect: accepted
__global__ void k(int* c, int n) {
#pragma unroll 4
for (int i = 0; i < 4; ++i) c[0] = i;
}
