// expect: accepted
#define A 2
#if A == 1
#define B 1
#elif A == 2 && !(A > 3)
#define B 2
#else
#error no
#endif
__global__ void k(int* c, int n) {
c[0] = B;
}
