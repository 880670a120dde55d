// expect: *
#define T thread_##local
T int x;
__global__ void k(int* c, int n) {
c[0] = 1;
}
