// expect: *
#define A(x) __as##x
__global__ void k(int* c, int n) {
A(an_init)();
}
