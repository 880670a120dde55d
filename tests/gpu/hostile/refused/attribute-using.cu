// expect: *
[[using gnu: constructor]] __device__ void f() {}
__global__ void k(int* c, int n) {
c[0] = 1;
}
