// expect: *
#define F(x) x
F(
#define Y 1
)
__global__ void k(int* c, int n) {
c[0] = 1;
}
