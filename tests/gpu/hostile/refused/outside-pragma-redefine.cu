// expect: *
#pragma redefine_extname f system
__global__ void k(int* c, int n) {
c[0] = 1;
}
