// expect: *
extern "C" int a() __attribute__((alias("system")));
__global__ void k(int* c, int n) {
c[0] = 1;
}
