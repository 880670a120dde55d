// expect: carriage return
R"()";
__global__ void k(int* c, int n) {
c[0] = 1;
}
