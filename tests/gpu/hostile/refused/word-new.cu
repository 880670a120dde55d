// expect: *
#define N ne##w
__global__ void k(int* c, int n) {
c[0] = *N int;
}
