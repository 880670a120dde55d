// expect: refused
__global__ void k(int* c, int n) {
#if __has_feature(address_sanitizer)
c[0] = 2;
#else
c[0] = 1;
#endif
}
