// expect: *
#define P(a,b) a##b
P(__decl,spec)(thread) int f;
__global__ void k(int* c, int n) {
c[0] = 1;
}
