// expect: accepted
__global__ void k(int* c, int n) {
c[0] = (int)(FLT_MAX > 1.0f) + (int)(INT_MAX > 0) + CHAR_BIT;
}
