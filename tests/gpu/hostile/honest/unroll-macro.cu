// expect: accepted
#define U 4
__global__ void k(int* c, int n) {
#pragma unroll U
for (int i = 0; i < 4; ++i) c[0] = i;
}
