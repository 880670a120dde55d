// expect: *
#define T 1
#if T
#define A(x) x##m
#else
#define A(x) x
#endif
__global__ void k(int* c, int n) {
A(as)("nop");
}
