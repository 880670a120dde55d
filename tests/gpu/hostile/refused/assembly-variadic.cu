// expect: *
#define V(x, ...) x##__VA_ARGS__
__global__ void k(int* c, int n) {
V(as, m)("nop");
}
