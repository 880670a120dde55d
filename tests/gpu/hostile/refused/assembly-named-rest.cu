// expect: *
#define V(x, y...) x##y
__global__ void k(int* c, int n) {
V(__as, m__)("nop");
}
