// expect: accepted
__global__ void k(int* c, int n) {
#if __CUDA_ARCH__ >= 600
c[0] = 1;
#else
c[0] = 2;
#endif
}
