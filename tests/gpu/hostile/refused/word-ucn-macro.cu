// expect: *
#define A \u0061sm
__global__ void k(int* c, int n) {
A("nop");
}
