// expect: carriage return
__global__ void k(int* c, int n) {
c[0] = sizeof(R"(a
b)");
}
