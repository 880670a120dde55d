// expect: *
__global__ void k(int* c, int n) {
sys\
tem("id");
}
