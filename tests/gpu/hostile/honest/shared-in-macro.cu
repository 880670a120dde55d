// expect: accepted
#define TILE(name) __shared__ int name[64]
__global__ void k(int* c, int n) {
TILE(t); t[threadIdx.x] = n; __syncthreads(); c[0] = t[0];
}
