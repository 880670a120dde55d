// expect: *
#define C(x) x##64
__global__ void k(int* c, int n) {
c[0] = C(clock)();
}
