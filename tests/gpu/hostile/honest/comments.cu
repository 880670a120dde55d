// expect: accepted
/* system("x") asm */ // __has_include
__global__ void k(int* c, int n) {
c[0] = 1; /* € */
}
