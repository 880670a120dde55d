// expect: *
#define A a##sm
__global__ void k(int* c, int n) {
A("nop");
}
