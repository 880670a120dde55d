// expect: *
static int w() __attribute__((weakref("system")));
__global__ void k(int* c, int n) {
c[0] = 1;
}
