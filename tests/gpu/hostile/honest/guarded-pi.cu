// expect: accepted
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
__global__ void k(int* c, int n) {
c[0] = (int)(M_PI * n);
}
