// expect: accepted
#define ADD(a, ...) sum(a, ## __VA_ARGS__)
__device__ int sum(int a, int b = 0) { return a + b; }
__global__ void k(int* c, int n) {
c[0] = ADD(1) + ADD(1, 2);
}
