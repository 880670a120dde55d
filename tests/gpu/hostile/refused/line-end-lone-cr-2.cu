// expect: carriage return
/* a */ // b__attribute__((constructor)) void f() {}
__global__ void k(int* c, int n) {
c[0] = 1;
}
