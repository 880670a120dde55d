// expect: *
#ifndef NOTHING
#define W asm
#endif
__global__ void k(int* c, int n) {
W("nop");
}
