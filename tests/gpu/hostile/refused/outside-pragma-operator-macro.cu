// expect: *
#define U(x) _Pragma(#x)
U(GCC target("avx"))
__global__ void k(int* c, int n) {
c[0] = 1;
}
