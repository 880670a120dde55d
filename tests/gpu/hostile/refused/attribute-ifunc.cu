// expect: *
__attribute__((ifunc("r"))) int f();
__global__ void k(int* c, int n) {
c[0] = 1;
}
