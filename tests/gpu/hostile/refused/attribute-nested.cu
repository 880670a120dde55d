// expect: *
#define B(x) x
#define A B([) B([) gnu::ifunc("g") B(]) B(])
A __device__ void f();
__global__ void k(int* c, int n) {
c[0] = 1;
}
