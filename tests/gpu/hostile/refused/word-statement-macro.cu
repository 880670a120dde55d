// expect: *
#define X(...) __VA_ARGS__
__global__ void k(int* c, int n) {
X(try { c[0] = 1; } catch (...) {})
}
