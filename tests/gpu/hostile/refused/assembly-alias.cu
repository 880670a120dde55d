// expect: *
#define instruction asm
__global__ void k(int* c, int n) {
instruction("nop");
}
