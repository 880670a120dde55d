// expect: *
#define E(...) __VA_ARGS__
#define L (
#define F() asm
__global__ void k(int* c, int n) {
E(F L))("nop");
}
