// expect: *
__global__ void k(int* c, int n) {
c[0] = sizeof("a"b);
}
