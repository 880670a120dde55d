// expect: *
__global__ void k(int* c, int n) {
int a$b = 1; c[0] = a$b;
}
