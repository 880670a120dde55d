// expect: accepted
#define LIST(X) X(a) X(b) X(d)
#define ONE(n) int n = 1;
__global__ void k(int* c, int n) {
LIST(ONE) c[0] = a + b + d;
}
