// expect: accepted
#define RESTRICT
__global__ void k(int* RESTRICT c, int n) {
c[0] = n;
}
