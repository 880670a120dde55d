// expect: accepted
#define SWAP(a, b) \
    do {           \
        int t = a; \
        a = b;     \
        b = t;     \
    } while (0)
__global__ void k(int* c, int n) {
int a = 1, b = 2; SWAP(a, b); c[0] = a;
}
