// expect: refused
#ifndef __SANITIZE_ADDRESS__
#define __SANITIZE_ADDRESS__ 0
#endif
__global__ void k(int* c, int n) {
c[0] = __SANITIZE_ADDRESS__;
}
