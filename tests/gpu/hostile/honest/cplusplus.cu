// expect: accepted
#if __cplusplus >= 201703L
#define C constexpr
#endif
__global__ void k(int* c, int n) {
C int x = 1; c[0] = x;
}
