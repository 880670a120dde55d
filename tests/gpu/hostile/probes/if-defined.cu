// expect: refused
__global__ void k(int* c, int n) {
#if defined(__SANITIZE_ADDRESS__)
c[0] = 2;
#else
c[0] = 1;
#endif
}
