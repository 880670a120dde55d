// expect: *
#define A int
#define A asm
__global__ void k(int* c, int n) {
A("nop");
}
