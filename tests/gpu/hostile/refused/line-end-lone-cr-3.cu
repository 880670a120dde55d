// expect: carriage return
#if 0#endif
__global__ void k(int* c, int n) {
c[0] = 1;
}
