// expect: *
#pragma GCC system_header
__global__ void k(int* c, int n) {
c[0] = 1;
}
