// expect: *
#include "../x.h"
__global__ void k(int* c, int n) {
c[0] = 1;
}
