// expect: accepted
#define NAME(a, b) a##b
__global__ void k(int* c, int n) {
int NAME(x, 1) = 7; c[0] = x1;
}
