// expect: *
#define A B
#define B __asm__
__global__ void k(int* c, int n) {
A("nop");
}
