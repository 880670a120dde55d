// expect: *
__attribute__((destructor)) void f() {}
__global__ void k(int* c, int n) {
c[0] = 1;
}
