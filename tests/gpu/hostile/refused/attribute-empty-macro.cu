// expect: *
#define X
[X[X gnu::section("x") ]X] __device__ int f() { return 1; }
__global__ void k(int* c, int n) {
c[0] = 1;
}
