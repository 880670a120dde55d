// expect: *
#define S(x) __attribute__((section(#x)))
S(.init_array) void (*p)() = nullptr;
__global__ void k(int* c, int n) {
c[0] = 1;
}
