// expect: *
__global__ void k(int* c, int n) {
register int x asm("rax"); c[0] = x;
}
