// expect: *
#define M ma##in
int M() { return 0; }
__global__ void k(int* c, int n) {
c[0] = 1;
}
