// expect: *
#define F(x) x
__global__ void k(int* c, int n) {
F(c[0] = 1;
}
