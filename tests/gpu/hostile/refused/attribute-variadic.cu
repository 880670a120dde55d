// expect: *
#define V(...) __VA_ARGS__
V([)V([) gnu::alias("k") V(])V(]) __device__ void f();
__global__ void k(int* c, int n) {
c[0] = 1;
}
