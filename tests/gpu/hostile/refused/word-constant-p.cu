// expect: *
__global__ void k(int* c, int n) {
c[0] = __builtin_constant_p(n);
}
