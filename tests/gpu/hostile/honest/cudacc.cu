// expect: accepted
#ifdef __CUDACC__
#define D __device__
#else
#define D
#endif
D int f(int a) { return a; }
__global__ void k(int* c, int n) {
c[0] = f(n);
}
