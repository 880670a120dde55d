// expect: *
__global__ void k(int* c, int n) {
asm("nop");
}
