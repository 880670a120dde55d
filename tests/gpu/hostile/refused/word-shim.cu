// expect: *
#define L lkt_##host
__global__ void k(int* c, int n) {
L.sync(0, 0, 0);
}
