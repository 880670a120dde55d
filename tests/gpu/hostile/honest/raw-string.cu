// expect: accepted
__global__ void k(int* c, int n) {
char const* s = R"(a "b" c)"; c[0] = s[0];
}
