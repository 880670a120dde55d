// expect: accepted
#define THREADS 128
__global__ void __launch_bounds__(THREADS) k(int* __restrict__ c, int n) {
c[0] = n;
}
