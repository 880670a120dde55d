// expect: *
__global__ void k(int* c, int n) {
\u0073ystem("id");
}
