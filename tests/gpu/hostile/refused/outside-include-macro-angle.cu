// expect: *
#define H <cstdio>
#include H
__global__ void k(int* c, int n) {
c[0] = 1;
}
