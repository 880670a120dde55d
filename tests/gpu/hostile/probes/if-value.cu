// expect: refused
__global__ void k(int* c, int n) {
#if __GNUC__ >= 12
c[0] = 2;
#else
c[0] = 1;
#endif
}
