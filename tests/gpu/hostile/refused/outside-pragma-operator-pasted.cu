// expect: *
#define P(a,b) a##b
P(_Prag, ma)("GCC poison n")
__global__ void k(int* c, int n) {
c[0] = 1;
}
