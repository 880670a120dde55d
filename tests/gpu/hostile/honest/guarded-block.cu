// expect: accepted
#ifndef BLOCK
#define BLOCK 16
#endif
__global__ void k(int* c, int n) {
c[0] = BLOCK + n;
}
