// expect: accepted
#define DYNAMIC(T, name) extern __shared__ T name[]
__global__ void k(int* c, int n) {
DYNAMIC(int, t); c[0] = 1;
}
