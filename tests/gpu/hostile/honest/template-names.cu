// expect: accepted
template <class _Tp> __device__ _Tp twice(_Tp a) { return a + a; }
__global__ void k(int* c, int n) {
c[0] = twice(n);
}
