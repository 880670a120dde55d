// expect: *
#pragma push_macro("k")
__global__ void k(int* c, int n) {
c[0] = 1;
}
