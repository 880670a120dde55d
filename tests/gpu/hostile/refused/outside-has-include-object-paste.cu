// expect: *
#define H __has_##include
#if H("/etc/shadow")
#endif
__global__ void k(int* c, int n) {
c[0] = 1;
}
