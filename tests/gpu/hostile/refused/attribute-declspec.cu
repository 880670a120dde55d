// expect: *
#define D __decl##spec
__declspec(thread) int f;
__global__ void k(int* c, int n) {
c[0] = 1;
}
