// expect: accepted
#define UNROLL _Pragma("unroll")
__global__ void k(int* c, int n) {
UNROLL
for (int i = 0; i < 4; ++i) c[0] = i;
}
