// expect: accepted
#define IDX(i, j, w) ((i) * (w) + (j))
__global__ void k(int* c, int n) {
c[IDX(0, 0, n)] = 3;
}
