// expect: accepted
__global__ void k(int* c, int n) {
[[maybe_unused]] int x = 1; if (n == 1) [[likely]] c[0] = 2;
}
