// expect: accepted
#define DEV __device__ __forceinline__
DEV int f(int a) { return a + 1; }
__global__ void k(int* c, int n) {
c[0] = f(n);
}
