// expect: *
#define V(x, ...) F(x, ## __VA_ARGS__)
#define F(x, y) x##y
__global__ void k(int* c, int n) {
V(as, m)("nop");
}
