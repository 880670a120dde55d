// expect: touches
#if 0
"/*"R"( 
#endif
int x = sizeof("/*"R"(")");
#if 0
#endif
__global__ void k(int* c, int n) {
c[0] = 1;
}
