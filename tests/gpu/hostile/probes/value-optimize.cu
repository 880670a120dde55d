// expect: refused
__global__ void k(int* c, int n) {
c[0] = __OPTIMIZE__;
}
