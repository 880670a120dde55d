// expect: *
#define D defined
#if D X
#endif
__global__ void k(int* c, int n) {
c[0] = 1;
}
