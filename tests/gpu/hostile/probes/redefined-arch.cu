// expect: refused
#undef __CUDA_ARCH__
__global__ void k(int* c, int n) {
c[0] = 1;
}
