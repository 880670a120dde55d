// expect: *
__global__ void k(int* c, int n) {
__asm__ __volatile__("nop");
}
