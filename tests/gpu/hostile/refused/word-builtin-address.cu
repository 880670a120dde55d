// expect: *
#define B(x) __builtin_##x
__global__ void k(int* c, int n) {
c[0] = (int)(long)B(return_address)(0);
}
