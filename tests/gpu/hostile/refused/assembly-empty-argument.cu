// expect: *
#define P(a,b,c) a##b##c
__global__ void k(int* c, int n) {
P(as,,m)("nop");
}
