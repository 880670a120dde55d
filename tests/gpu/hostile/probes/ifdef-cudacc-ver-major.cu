// expect: refused
__global__ void k(int* c, int n) {
#ifdef __CUDACC_VER_MAJOR__
c[0] = 2;
#else
c[0] = 1;
#endif
}
