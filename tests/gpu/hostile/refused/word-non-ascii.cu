// expect: *
__global__ void k(int* c, int n) {
int é = 1; c[0] = é;
}
