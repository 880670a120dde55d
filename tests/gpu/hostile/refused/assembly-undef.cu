// expect: *
#define asm nothing
#undef asm
__global__ void k(int* c, int n) {
asm("nop");
}
