// expect: *
_Pragma("GCC poison n")
__global__ void k(int* c, int n) {
c[0] = 1;
}
