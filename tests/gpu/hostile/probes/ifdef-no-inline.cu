// expect: refused
__global__ void k(int* c, int n) {
#ifdef __NO_INLINE__
c[0] = 2;
#else
c[0] = 1;
#endif
}
