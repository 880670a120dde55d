// expect: *
#define F(x) x
__global__ void k(int* c, int n) {
F
(
asm
)("nop");
}
