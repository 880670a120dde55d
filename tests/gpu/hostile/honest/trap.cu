// expect: accepted
__global__ void k(int* c, int n) {
if (n < 0) __trap(); assert(n >= 0); c[0] = 1;
}
