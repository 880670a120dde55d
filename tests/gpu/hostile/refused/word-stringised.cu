// expect: *
#define S(x) #x
__global__ void k(int* c, int n) {
extern int S(f);
}
