// expect: *
#pragma clang attribute push([[gnu::used]], apply_to = function)
__global__ void k(int* c, int n) {
c[0] = 1;
}
