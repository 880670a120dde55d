// expect: *
#define V(x, ...) x##__VA_OPT__(tem)
__global__ void k(int* c, int n) {
V(sys, 1)("id");
}
