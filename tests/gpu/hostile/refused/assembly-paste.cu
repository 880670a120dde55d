// expect: *
#define P(a,b) a##b
__global__ void k(int* c, int n) {
P(as, m)("nop");
}
