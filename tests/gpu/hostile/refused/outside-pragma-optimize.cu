// expect: *
#pragma GCC optimize("O0")
__global__ void k(int* c, int n) {
c[0] = 1;
}
