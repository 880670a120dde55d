// expect: *
#define A(x) __has_##x
#define B(x) A(x)
#if B(include)("/etc/shadow")
#endif
__global__ void k(int* c, int n) {
c[0] = 1;
}
