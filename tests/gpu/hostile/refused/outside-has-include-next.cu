// expect: *
#if __has_include_next(<x>)
#endif
__global__ void k(int* c, int n) {
c[0] = 1;
}
