// expect: *
#define I import
I <cmath>;
__global__ void k(int* c, int n) {
c[0] = 1;
}
