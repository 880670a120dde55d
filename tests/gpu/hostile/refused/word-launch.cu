// expect: *
__global__ void k(int* c, int n) {
k<<<1, 1>>>(c, n);
}
