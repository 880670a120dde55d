// expect: *
#assert a(b)
__global__ void k(int* c, int n) {
c[0] = 1;
}
