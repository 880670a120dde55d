// expect: *
#define F(x) x
#if F(__has_include)("/etc/shadow")
#endif
__global__ void k(int* c, int n) {
c[0] = 1;
}
