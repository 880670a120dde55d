// expect: *
#define F(x) G(x)
#define G(x) x
#define H F
__global__ void k(int* c, int n) {
H(H(asm))("nop");
}
