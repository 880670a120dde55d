// SPDX-License-Identifier: BSL-1.0
// The text that a CUDA kernel is compiled behind, part 10: what inline PTX becomes.
#pragma once

#include <string_view>

namespace lkt::host_detail {

/// Registers, addresses and arithmetic. An address in shared memory has 32 bits, as on a GPU: the
/// upper 8 say which of at most 255 windows of 16 MiB of the thread that runs the block.
inline constexpr std::string_view shim_ptx = R"lkt(
template <class T, class V> inline T lkt_ptx_in(V v) {
    if constexpr (__is_enum(V)) return lkt_ptx_in<T>((__underlying_type(V))v);
    else if constexpr (sizeof(T) == 8 && sizeof(V) == 8 && !lkt_same<T, double>) {
        if constexpr (lkt_same<T, V>) return v;
        else return (T)v; /* pointers, too */
    } else {
        static_assert(sizeof(V) <= sizeof(T), "an operand has more bits than its constraint");
        return (T)v;
    }
}
template <class T, class V> inline void lkt_ptx_out(T& to, V v) {
    if constexpr (lkt_same<V, float> || lkt_same<V, double>) {
        static_assert(lkt_same<T, V>, "an output has another type than its constraint");
        to = v;
    } else {
        static_assert(sizeof(T) == sizeof(V), "an output has another size than its constraint");
        to = (T)v;
    }
}
/* What was never written is no zero. */
template <class T> inline T lkt_ptx_unset() {
    if constexpr (lkt_same<T, bool>) return false;
    else {
        T v;
        __builtin_memset(&v, 0x7b, sizeof v);
        return v;
    }
}
template <class T, class V> inline T lkt_ptx_number(V v) {
    if constexpr (lkt_same<T, unsigned> && lkt_same<V, float>) return __float_as_uint(v);
    else if constexpr (sizeof(T) == 4 && __is_class(T)) return __builtin_bit_cast(T, (unsigned)v);
    else if constexpr (sizeof(T) == 2 && __is_class(T)) return __builtin_bit_cast(T, (unsigned short)v);
    else return (T)v;
}
template <class T, class V> inline T lkt_ptx_as(V v) {
    if constexpr (lkt_same<T, V>) return v;
    else if constexpr (lkt_same<T, bool>) {
        static_assert(lkt_same<T, V>, "a predicate is a register of type .pred");
        return false;
    } else if constexpr (sizeof(T) == sizeof(V)) return __builtin_bit_cast(T, v);
    else if constexpr (sizeof(T) == 2 && sizeof(V) == 4) return __builtin_bit_cast(T, (unsigned short)__builtin_bit_cast(unsigned, v));
    else {
        static_assert(sizeof(T) < sizeof(V), "a register is too narrow");
        return (T)v;
    }
}
template <class R, class V> inline void lkt_ptx_set(R& to, V v) {
    if constexpr (sizeof(R) == sizeof(V)) to = __builtin_bit_cast(R, v);
    else {
        static_assert(sizeof(V) < sizeof(R), "a register is too narrow");
        if constexpr (__is_class(V)) to = (R)__builtin_bit_cast(unsigned short, v);
        else to = (R)v;
    }
}
template <size_t N> struct lkt_ptx_word;
template <> struct lkt_ptx_word<1> { using type = unsigned char; };
template <> struct lkt_ptx_word<2> { using type = unsigned short; };
template <> struct lkt_ptx_word<4> { using type = unsigned; };
template <> struct lkt_ptx_word<8> { using type = unsigned long long; };
template <size_t N> using lkt_ptx_bits = typename lkt_ptx_word<N>::type;
template <class T> using lkt_ptx_unsigned = lkt_ptx_bits<sizeof(T)>;
template <size_t N, class T> inline lkt_ptx_bits<N> lkt_ptx_part(T v, int k) {
    lkt_ptx_bits<N> part;
    __builtin_memcpy(&part, (char const*)&v + k * N, N);
    return part;
}
template <class T, class V> inline void lkt_ptx_place(T& v, int k, V part) {
    __builtin_memcpy((char*)&v + k * sizeof part, &part, sizeof part);
}
inline unsigned lkt_ptx_thread() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
inline unsigned lkt_ptx_lane() { return lkt_ptx_thread() % 32; }
inline unsigned lkt_ptx_lanes_eq() { return 1u << lkt_ptx_lane(); }
inline unsigned lkt_ptx_lanes_lt() { return lkt_ptx_lanes_eq() - 1; }
inline unsigned lkt_ptx_lanes_le() { return lkt_ptx_lanes_lt() | lkt_ptx_lanes_eq(); }
inline unsigned lkt_ptx_lanes_gt() { return ~lkt_ptx_lanes_le(); }
inline unsigned lkt_ptx_lanes_ge() { return ~lkt_ptx_lanes_lt(); }

static thread_local char* lkt_windows[256];
static thread_local unsigned lkt_window_count;
static thread_local struct { char* begin; size_t size; } lkt_known[256]; /* of a window, what lies in it */
inline size_t __cvta_generic_to_shared(void const* p) {
    constexpr size_t size = (size_t)1 << 24, edge = size / 4;
    for (unsigned k = 0; k < lkt_window_count; ++k) {
        size_t const at = (size_t)p - (size_t)lkt_windows[k];
        if (lkt_known[k].begin != nullptr ? (size_t)p - (size_t)lkt_known[k].begin <= lkt_known[k].size : at >= edge && at < size - edge) return ((size_t)(k + 1) << 24) + at;
    }
    if (lkt_window_count == 255) __builtin_trap();
    lkt_windows[lkt_window_count] = (char*)(((size_t)p - size / 2) & ~(size_t)1023);
    return ((size_t)++lkt_window_count << 24) + ((size_t)p - (size_t)lkt_windows[lkt_window_count - 1]);
}
/* What is no address of shared memory is null, or nearly. */
inline char* lkt_ptx_shared(unsigned long long a) {
    unsigned long long const k = a >> 24;
    return k == 0 || k > lkt_window_count ? (char*)(a & 0xfff) : lkt_windows[k - 1] + (a & 0xffffff);
}
inline void* __cvta_shared_to_generic(size_t a) { return lkt_ptx_shared(a); }
inline size_t __cvta_generic_to_global(void const* p) { return (size_t)p; }
inline void* __cvta_global_to_generic(size_t p) { return (void*)p; }
template <class T, int N> inline T* lkt_ptx_place_of(char* p, int line = __builtin_LINE()) {
    constexpr size_t size = sizeof(T) * N;
    if ((size_t)p % size != 0)
        lkt_fail(size == 2   ? "misaligned access: the address is no multiple of 2"
                 : size == 4 ? "misaligned access: the address is no multiple of 4"
                 : size == 8 ? "misaligned access: the address is no multiple of 8"
                             : "misaligned access: the address is no multiple of 16", line);
    return (T*)p;
}

template <class T> inline T lkt_ptx_add(T a, T b) { return T(a + b); }
template <class T> inline T lkt_ptx_sub(T a, T b) { return T(a - b); }
template <class T> inline T lkt_ptx_mul(T a, T b) {
    if constexpr (sizeof(T) == 2 && !__is_class(T)) return T((unsigned)a * b);
    else return T(a * b);
}
template <class T> inline T lkt_ptx_mad(T a, T b, T c) { return T(lkt_ptx_mul(a, b) + c); }
inline unsigned long long lkt_ptx_wide(unsigned a, unsigned b) { return (unsigned long long)a * b; }
inline unsigned long long lkt_ptx_wide(int a, int b) { return (unsigned long long)((long long)a * b); }
template <class T> inline T lkt_ptx_div(T a, T b) { return a / b; }
template <class T> inline T lkt_ptx_rcp(T a) { return 1 / a; }
template <class T> inline T lkt_ptx_neg(T a) {
    if constexpr (lkt_integer<T>) return T(0 - a);
    else return -a;
}
template <class T> inline T lkt_ptx_abs(T a) {
    if constexpr (lkt_same<T, float>) return fabsf(a);
    else if constexpr (lkt_same<T, double>) return fabs(a);
    else return a < 0 ? T(0 - (lkt_ptx_unsigned<T>)a) : a;
}
template <class T> inline T lkt_ptx_min(T a, T b) { return a != a ? b : b < a ? b : a; }
template <class T> inline T lkt_ptx_max(T a, T b) { return a != a ? b : a < b ? b : a; }
template <class T> inline bool lkt_ptx_ne(T a, T b) { return a == a && b == b && a != b; }
template <class T> inline T lkt_ptx_and(T a, T b) { return T(a & b); }
template <class T> inline T lkt_ptx_or(T a, T b) { return T(a | b); }
template <class T> inline T lkt_ptx_xor(T a, T b) { return T(a ^ b); }
template <class T> inline T lkt_ptx_not(T a) {
    if constexpr (lkt_same<T, bool>) return !a;
    else return T(~a);
}
template <class T> inline T lkt_ptx_shl(T a, unsigned n) { return n >= sizeof(T) * 8 ? T(0) : T((lkt_ptx_unsigned<T>)a << n); }
template <class T> inline T lkt_ptx_shr(T a, unsigned n) {
    return n < sizeof(T) * 8 ? T(a >> n) : T((T)-1 < (T)0 && a < (T)0 ? -1 : 0);
}
inline unsigned lkt_ptx_lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
    unsigned r = 0;
    for (unsigned k = 0; k < 8; ++k)
        if (table >> k & 1) r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return r;
}
inline unsigned lkt_ptx_prmt(unsigned a, unsigned b, unsigned s) {
    unsigned r = __byte_perm(a, b, s);
    /* 8 to 15 mean the sign of a byte, in all of its bits. */
    for (int i = 0; i < 32; i += 8)
        if (s >> i / 2 & 8) r = (r & ~(255u << i)) | (r >> i & 128 ? 255u << i : 0);
    return r;
}
inline unsigned lkt_ptx_bfe(unsigned a, unsigned at, unsigned n) {
    at &= 255, n &= 255;
    unsigned const rest = at < 32 ? a >> at : 0;
    return n < 32 ? rest & ((1u << n) - 1) : rest;
}
inline unsigned lkt_ptx_bfe_signed(unsigned a, unsigned at, unsigned n) {
    at &= 255, n &= 255;
    if (n == 0) return 0;
    unsigned const top = at + n - 1 < 31 ? at + n - 1 : 31, sign = a >> top & 1;
    unsigned const r = lkt_ptx_bfe(a, at, n), have = at > 31 ? 0 : 32 - at < n ? 32 - at : n;
    return sign && have < 32 ? r | ~0u << have : r;
}
inline unsigned lkt_ptx_bfi(unsigned a, unsigned b, unsigned at, unsigned n) {
    at &= 255, n &= 255;
    if (at >= 32 || n == 0) return b;
    unsigned const mask = (n < 32 ? (1u << n) - 1 : ~0u) << at;
    return (b & ~mask) | (a << at & mask);
}
inline unsigned lkt_ptx_tf32(float a) { return (__float_as_uint(a) + 0x1000u) & 0xffffe000u; }
)lkt";

/// Matrices that the lanes of a warp hold together, copies, elections. Loads and stores order no
/// accesses of lanes. The sum of one product is rounded once; devices round more often.
inline constexpr std::string_view shim_ptx_warps = R"lkt(
static thread_local unsigned long long lkt_ptx_rows[1024];
static thread_local unsigned const *lkt_ptx_parts_a[1024], *lkt_ptx_parts_b[1024];
inline void lkt_ptx_meet(int line) { lkt_warp(16, 0xffffffffu, 0, 0, 32, line); }
inline unsigned short* lkt_ptx_row(unsigned k, int line) {
    char* const p = lkt_ptx_shared(lkt_ptx_rows[lkt_ptx_thread() / 32 * 32 + k]);
    if ((size_t)p % 16 != 0) lkt_fail("misaligned access: the address of a row of a matrix is no multiple of 16", line);
    return (unsigned short*)p;
}
template <bool Across, int N> inline void lkt_ptx_load_matrices(unsigned (&m)[N], unsigned long long row, int line) {
    unsigned const lane = lkt_ptx_lane();
    lkt_ptx_rows[lkt_ptx_thread()] = row;
    lkt_ptx_meet(line);
    for (unsigned j = 0; j < N; ++j) {
        unsigned const r = lane / 4, c = lane % 4 * 2;
        unsigned const low = Across ? lkt_ptx_row(8 * j + c, line)[r] : lkt_ptx_row(8 * j + r, line)[c];
        m[j] = low | (unsigned)(Across ? lkt_ptx_row(8 * j + c + 1, line)[r] : lkt_ptx_row(8 * j + r, line)[c + 1]) << 16;
    }
    lkt_ptx_meet(line);
}
template <bool Across, int N> inline void lkt_ptx_store_matrices(unsigned const (&m)[N], unsigned long long row, int line) {
    unsigned const lane = lkt_ptx_lane();
    lkt_ptx_rows[lkt_ptx_thread()] = row;
    lkt_ptx_meet(line);
    for (unsigned j = 0; j < N; ++j) {
        unsigned const r = lane / 4, c = lane % 4 * 2;
        (Across ? lkt_ptx_row(8 * j + c, line)[r] : lkt_ptx_row(8 * j + r, line)[c]) = (unsigned short)m[j];
        (Across ? lkt_ptx_row(8 * j + c + 1, line)[r] : lkt_ptx_row(8 * j + r, line)[c + 1]) = (unsigned short)(m[j] >> 16);
    }
    lkt_ptx_meet(line);
}
inline unsigned lkt_ptx_transpose(unsigned m, int line) {
    unsigned const me = lkt_ptx_thread(), lane = me % 32, r = lane / 4, c = lane % 4 * 2;
    lkt_ptx_rows[me] = m;
    lkt_ptx_meet(line);
    auto const at = [&](unsigned row) { return (unsigned)(lkt_ptx_rows[me - lane + row * 4 + r / 2] >> 16 * (r % 2)) & 0xffff; };
    unsigned const made = at(c) | at(c + 1) << 16;
    lkt_ptx_meet(line);
    return made;
}
/* The elements of a register, as what their products are summed in. */
struct lkt_ptx_in_f16 {
    static constexpr int each = 2;
    static double of(unsigned r, int e) { return (float)__builtin_bit_cast(__half, (unsigned short)(r >> 16 * e)); }
};
struct lkt_ptx_in_bf16 {
    static constexpr int each = 2;
    static double of(unsigned r, int e) { return __uint_as_float(r >> 16 * e << 16); }
};
struct lkt_ptx_in_tf32 {
    static constexpr int each = 1;
    static double of(unsigned r, int) { return __uint_as_float(r & 0xffffe000u); }
};
struct lkt_ptx_in_s8 {
    static constexpr int each = 4;
    static long long of(unsigned r, int e) { return (signed char)(r >> 8 * e); }
};
struct lkt_ptx_in_u8 {
    static constexpr int each = 4;
    static long long of(unsigned r, int e) { return (unsigned char)(r >> 8 * e); }
};
#if defined(LKT_FLOAT8)
struct lkt_ptx_in_e4m3 {
    static constexpr int each = 4;
    static double of(unsigned r, int e) { return lkt_of_fp8((unsigned char)(r >> 8 * e), __NV_E4M3); }
};
struct lkt_ptx_in_e5m2 {
    static constexpr int each = 4;
    static double of(unsigned r, int e) { return lkt_of_fp8((unsigned char)(r >> 8 * e), __NV_E5M2); }
};
#endif
/* m16n8k(4 or 8 times a register's elements), a by rows, b by columns. */
template <class A, class B, bool Saturates, class C, int RA, int RB, int N>
inline void lkt_ptx_mma(unsigned const (&a)[RA], unsigned const (&b)[RB], C (&c)[N], int line) {
    constexpr int E = A::each, K = 2 * E * RA;
    int const me = (int)lkt_ptx_thread(), lane = me % 32;
    lkt_ptx_parts_a[me] = a, lkt_ptx_parts_b[me] = b;
    lkt_ptx_meet(line);
    decltype(A::of(0, 0)) sums[4] = {}, x[2][K], y[2][K];
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < K; k += E) {
            int const part = k / (4 * E), from = k % (4 * E) / E;
            unsigned const p = lkt_ptx_parts_a[me - lane + lane / 4 * 4 + from][side + 2 * part];
            unsigned const q = lkt_ptx_parts_b[me - lane + (lane % 4 * 2 + side) * 4 + from][part];
            for (int e = 0; e < E; ++e) x[side][k + e] = A::of(p, e), y[side][k + e] = B::of(q, e);
        }
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < K; ++k) sums[i] += x[i >> 1][k] * y[i & 1][k];
    lkt_ptx_meet(line); /* others may still read this lane's part */
    for (int i = 0; i < 4; ++i) {
        if constexpr (lkt_same<C, int>) {
            long long s = sums[i] + c[i];
            if (Saturates) s = s > INT_MAX ? INT_MAX : s < INT_MIN ? INT_MIN : s;
            c[i] = (int)(unsigned)s;
        } else if constexpr (lkt_same<C, float>) {
            c[i] = (float)(sums[i] + c[i]);
        } else {
            __half& h = i % 2 == 0 ? c[i / 2].x : c[i / 2].y;
            h = __half(sums[i] + (double)(float)h);
        }
    }
}
inline unsigned lkt_ptx_elect(unsigned mask, int line) {
    lkt_warp(0, mask, 0, 0, 32, line);
    return __ffs((int)mask) - 1;
}
inline void lkt_ptx_copy(char* to, char const* from, unsigned size, unsigned given, bool past_l1,
                         int line = __builtin_LINE()) {
    if ((size != 4 && size != 8 && size != 16) || (past_l1 && size != 16) || given > size)
        __builtin_trap();
    if ((size_t)to % size != 0 || (size_t)from % size != 0)
        lkt_fail("misaligned access: an address of a copy is no multiple of its size", line);
    lkt_copy_async(to, from, size, size - given);
}
)lkt";

} // namespace lkt::host_detail
