// expect: accepted
#define FAST 1
#if FAST
#define STEP 2
#else
#define STEP 1
#endif
__global__ void k(int* c, int n) {
c[0] = STEP;
}
