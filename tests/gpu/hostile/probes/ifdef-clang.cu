// expect: refused
__global__ void k(int* c, int n) {
#ifdef __clang__
c[0] = 2;
#else
c[0] = 1;
#endif
}
