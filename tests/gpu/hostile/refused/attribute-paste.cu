// expect: *
#define P(a,b) a##b
P(__attri,bute__)((constructor)) __device__ void f() {}
__global__ void k(int* c, int n) {
c[0] = 1;
}
