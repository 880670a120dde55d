// expect: accepted
template <int N, int M = (N >> 1)> struct tile { int v[(N << 1) + M]; };
template <class T> struct box { T t; };
enum bits { low = 1 << 3, high };
constexpr int folded = (int)2.5f + (1 << low) - int(3.5f);
__device__ int f(int) { return 1; }
__device__ unsigned g(unsigned const* p, int (*h)(int)) { return (unsigned)*p + (unsigned)h(2); }
__global__ void k(int* out, int n) {
    float const x = n + 0.5f;
    tile<4> t{};
    box<box<int>> b{{n}};
    unsigned u[2] = {(unsigned)n, unsigned(x)};
    float* const p = &out[0] ? (float*)out : nullptr;
    auto const place = (unsigned long long)p;
    int s = (n < 3) >> n | n << n + 1 | (int)x << (n & 3) | 1 << sizeof(int) * n | (char)x << 1;
    s += -(int)x + !(int)x - (int)-x * (int)x + (int)(unsigned char)(float)(int)x;
    s <<= n;
    s >>= (short)n;
    s = n > (int)x ? (int)x : static_cast<int>(x) + static_cast<unsigned short>(b.t.t);
    for (int i = (int)x; i << 1 < 4; i++) s += (long long)i >> i;
    out[0] = s + t.v[0] + (int)place + folded + f((int)x) + (int)g(u, f) + (int)threadIdx.x;
}
