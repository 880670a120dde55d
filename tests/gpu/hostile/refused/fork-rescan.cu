// expect: *
#define E
#define F() fork
__global__ void k(int* c, int n) {
F E ()("nop");
}
