// expect: refused
#ifndef CHAR_BIT
#define CHAR_BIT 0
#endif
__global__ void k(int* c, int n) {
c[0] = CHAR_BIT;
}
