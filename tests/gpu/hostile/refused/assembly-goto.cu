// expect: *
__global__ void k(int* c, int n) {
asm goto("" :::: l); l: c[0] = 1;
}
