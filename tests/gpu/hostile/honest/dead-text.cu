// expect: accepted
#if 0
It doesn't matter what stands here: asm in prose, "an open quote
#endif
__global__ void k(int* c, int n) {
c[0] = 1;
}
