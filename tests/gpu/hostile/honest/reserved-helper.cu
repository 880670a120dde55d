// expect: accepted
__device__ int __my_helper(int a) { return a; }
__global__ void k(int* c, int n) {
c[0] = __my_helper(n);
}
