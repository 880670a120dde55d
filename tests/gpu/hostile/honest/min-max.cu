// expect: accepted
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
__global__ void k(int* c, int n) {
c[0] = MAX(1, MIN(n, 5));
}
