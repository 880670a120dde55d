// expect: *
__global__ void k(int* c, int n) {
__extension__ c[0] = 1;
}
