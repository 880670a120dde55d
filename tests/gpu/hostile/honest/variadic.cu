// expect: accepted
#define CALL(f, ...) f(__VA_ARGS__)
__device__ int add(int a, int b) { return a + b; }
__global__ void k(int* c, int n) {
c[0] = CALL(add, 1, n);
}
