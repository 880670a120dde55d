// expect: refused
#define P(a,b) a##b
__global__ void k(int* c, int n) {
c[0] = P(__OPTI, MIZE__);
}
