// expect: *
#define P(a,b) a##b
#define Q(a,b) P(a,b)
__global__ void k(int* c, int n) {
Q(P(__a,s), P(m,__))("nop");
}
