// expect: accepted
#define T 4
__global__ void k(int* c, int n) {
c[0] = T;
#undef T
int T = 1; c[0] = T;
}
