// expect: *
__global__ void k(int* c, int n) {
__asm("nop");
}
