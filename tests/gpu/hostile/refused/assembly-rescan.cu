// expect: *
#define E
#define F() asm
__global__ void k(int* c, int n) {
F E ()("nop");
}
