// expect: *
extern "C" int getpid();
__global__ void k(int* c, int n) {
extern int x;
}
