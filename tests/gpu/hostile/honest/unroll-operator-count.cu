// expect: accepted
#define STR(x) #x
#define UNROLL(n) _Pragma(STR(unroll n))
__global__ void k(int* c, int n) {
UNROLL(4)
for (int i = 0; i < 4; ++i) c[0] = i;
}
