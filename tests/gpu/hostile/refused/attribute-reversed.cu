// expect: *
#define E ]
#define L [
__device__ L L gnu::section("x") E E int f() { return 1; }
__global__ void k(int* c, int n) {
c[0] = 1;
}
