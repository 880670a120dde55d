// expect: *
#define S(x) #x R"(
)"
__global__ void k(int* c, int n) {
c[0] = 1;
}
