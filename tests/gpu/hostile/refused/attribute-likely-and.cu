// expect: *
[[maybe_unused, gnu::weakref("x")]] __device__ int f() { return 1; }
__global__ void k(int* c, int n) {
c[0] = 1;
}
