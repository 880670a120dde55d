// expect: *
#define P(a,b) a##b
#if P(__has_, include)("/etc/shadow")
#endif
__global__ void k(int* c, int n) {
c[0] = 1;
}
