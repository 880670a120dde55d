// expect: refused
__global__ void k(int* c, int n) {
#if 0
#elif defined(__SANITIZE_THREAD__)
c[0] = 2;
#else
c[0] = 1;
#endif
}
