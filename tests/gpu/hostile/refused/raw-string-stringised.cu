// expect: raw string
#define S(x) #x
__global__ void k(int* c, int n) {
c[0] = sizeof(S(R"(a
b)"));
}
