// expect: *
#define C __attribute__((cleanup(f)))
__global__ void k(int* c, int n) {
c[0] = 1;
}
