// expect: *
__global__ void k(int* c, int n) {
extern int x __asm__("environ"); c[0] = x;
}
