// SPDX-License-Identifier: BSL-1.0
// The text that a CUDA kernel is compiled behind, part 6: mma.h.
#pragma once

#include <string_view>

namespace lkt::host_detail {

/// The elements of an accumulator of 16 x 16 lie where devices since compute capability 8.0 have
/// them, those of other fragments anywhere, as CUDA leaves open for all. Products are exact, a sum
/// is rounded once to the accumulator's type; devices round more often, each in its own way.
/// Loads and stores do not order accesses of lanes: PTX promises it of barriers alone.
inline constexpr std::string_view shim_tensor = R"lkt(
namespace nvcuda { namespace wmma {
#define LKT_HERE int line = __builtin_LINE()
struct row_major; struct col_major;
struct matrix_a; struct matrix_b; struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision { struct tf32; }
template <class T> struct lkt_element { using type = T; };
template <> struct lkt_element<precision::tf32> { using type = float; };
template <class Use, int M, int N, int K> inline constexpr int lkt_rows = lkt_same<Use, matrix_b> ? K : M;
template <class Use, int M, int N, int K> inline constexpr int lkt_columns = lkt_same<Use, matrix_a> ? K : N;
template <bool Which, class A, class B> struct lkt_choice { using type = A; };
template <class A, class B> struct lkt_choice<false, A, B> { using type = B; };
template <bool Which, class A, class B> using lkt_if = typename lkt_choice<Which, A, B>::type;
template <class T, class... Of> inline constexpr bool lkt_among = (lkt_same<T, Of> || ...);
template <class Use, int M, int N, int K, class T, class Layout> inline constexpr bool lkt_has_shape = [] {
    constexpr bool input = lkt_among<Use, matrix_a, matrix_b>;
    constexpr bool wide = K == 16 && ((M == 16 && N == 16) || (M == 32 && N == 8) || (M == 8 && N == 32));
    constexpr bool tf32 = M == 16 && N == 16 && K == 8, doubles = M == 8 && N == 8 && K == 4;
    if (input != lkt_among<Layout, row_major, col_major>) return false;
    if (tf32) return lkt_same<T, lkt_if<input, precision::tf32, float>>;
    if (doubles) return lkt_same<T, double>;
    return wide && (input ? lkt_among<T, __half, __nv_bfloat16, signed char, unsigned char>
                          : lkt_among<T, __half, float, int>);
}();
template <class Use, int M, int N, int K, class T, class Layout = void>
requires(lkt_has_shape<Use, M, N, K, T, Layout>)
struct fragment {
    static constexpr int lkt_own = lkt_rows<Use, M, N, K> * lkt_columns<Use, M, N, K> / 32;
    /* Halves are held twice where others are not. */
    static constexpr int num_elements = !lkt_same<Use, accumulator> && lkt_same<T, __half> ? 16 : lkt_own;
    static constexpr int num_storage_elements = num_elements;
    using element_type = T;
    using storage_element_type = typename lkt_element<T>::type;
    storage_element_type x[num_elements];
};
struct lkt_place { int row, column; };
template <int Rows, int Columns> inline lkt_place lkt_place_of(int lane, int i) {
    if constexpr (Rows == 16 && Columns == 16)
        return {lane / 4 + 8 * (i >> 1 & 1), lane % 4 * 2 + (i & 1) + 8 * (i >> 2)};
    int const at = lane * (Rows * Columns / 32) + i;
    return {at / Columns, at % Columns};
}
/* The element at `row` and `column` of a fragment whose lanes' parts are `parts`. */
template <int Rows, int Columns, class F> inline auto lkt_at(void const* const* parts, int row, int column) {
    int lane, i;
    if constexpr (Rows == 16 && Columns == 16) {
        lane = row % 8 * 4 + column % 8 / 2;
        i = (column & 1) + 2 * (row / 8) + 4 * (column / 8);
    } else {
        constexpr int own = Rows * Columns / 32;
        lane = (row * Columns + column) / own;
        i = (row * Columns + column) % own;
    }
    return ((F const*)parts[lane])->x[i];
}
inline int lkt_thread() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
inline void lkt_meet(int line) { lkt_warp(16, 0xffffffffu, 0, 0, 32, line); }
static thread_local void const *lkt_parts_a[1024], *lkt_parts_b[1024];

template <class Use, int M, int N, int K, class T, class L, class V>
inline void fill_fragment(fragment<Use, M, N, K, T, L>& f, V v) {
    for (auto& x : f.x) x = (typename fragment<Use, M, N, K, T, L>::storage_element_type)v;
}
template <bool ByRow, class Use, int M, int N, int K, class T, class L>
inline void lkt_load(fragment<Use, M, N, K, T, L>& f, typename lkt_element<T>::type const* p, unsigned ldm, int line) {
    using F = fragment<Use, M, N, K, T, L>;
    constexpr int rows = lkt_rows<Use, M, N, K>, columns = lkt_columns<Use, M, N, K>;
    lkt_meet(line);
    int const lane = lkt_thread() % 32;
    for (int i = 0; i < F::lkt_own; ++i) {
        auto const at = lkt_place_of<rows, columns>(lane, i);
        f.x[i] = p[ByRow ? (size_t)at.row * ldm + at.column : (size_t)at.column * ldm + at.row];
    }
    for (int i = F::lkt_own; i < F::num_elements; ++i) f.x[i] = f.x[i % F::lkt_own];
}
template <class Use, int M, int N, int K, class T, class L>
inline void load_matrix_sync(fragment<Use, M, N, K, T, L>& f, typename lkt_element<T>::type const* p, unsigned ldm, LKT_HERE) {
    static_assert(!lkt_same<Use, accumulator>, "an accumulator is loaded with its layout");
    lkt_load<lkt_same<L, row_major>>(f, p, ldm, line);
}
template <int M, int N, int K, class T>
inline void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, T const* p, unsigned ldm, layout_t layout, LKT_HERE) {
    if (layout == mem_row_major) lkt_load<true>(f, p, ldm, line);
    else lkt_load<false>(f, p, ldm, line);
}
template <int M, int N, int K, class T>
inline void store_matrix_sync(T* p, fragment<accumulator, M, N, K, T> const& f, unsigned ldm, layout_t layout, LKT_HERE) {
    lkt_meet(line);
    int const lane = lkt_thread() % 32;
    for (int i = 0; i < f.num_elements; ++i) {
        auto const at = lkt_place_of<M, N>(lane, i);
        p[layout == mem_row_major ? (size_t)at.row * ldm + at.column : (size_t)at.column * ldm + at.row] = f.x[i];
    }
}
inline float __float_to_tf32(float a) { return __uint_as_float((__float_as_uint(a) + 0x1000u) & 0xffffe000u); }
template <class T, class V> inline auto lkt_factor(V a) {
    if constexpr (lkt_same<T, precision::tf32>) return (double)__uint_as_float(__float_as_uint(a) & 0xffffe000u);
    else if constexpr (lkt_integer<T>) return (int)a;
    else if constexpr (lkt_same<T, double>) return a;
    else return (double)(float)a;
}
template <int M, int N, int K, class TD, class T, class LA, class LB, class TC>
inline void mma_sync(fragment<accumulator, M, N, K, TD>& d, fragment<matrix_a, M, N, K, T, LA> const& a,
                     fragment<matrix_b, M, N, K, T, LB> const& b, fragment<accumulator, M, N, K, TC> const& c,
                     bool saturate = false, LKT_HERE) {
    int const me = lkt_thread(), lane = me % 32;
    lkt_parts_a[me] = &a, lkt_parts_b[me] = &b;
    lkt_meet(line);
    auto const *as = lkt_parts_a + (me - lane), *bs = lkt_parts_b + (me - lane);
    TD sums[M * N / 32];
    for (int i = 0; i < M * N / 32; ++i) {
        auto const at = lkt_place_of<M, N>(lane, i);
        decltype(lkt_factor<T>(a.x[0])) sum = 0;
        long long whole = 0;
        for (int k = 0; k < K; ++k) {
            auto const x = lkt_factor<T>(lkt_at<M, K, fragment<matrix_a, M, N, K, T, LA>>(as, at.row, k));
            auto const y = lkt_factor<T>(lkt_at<K, N, fragment<matrix_b, M, N, K, T, LB>>(bs, k, at.column));
            if constexpr (lkt_integer<T>) whole += x * y;
            else sum += x * y;
        }
        if constexpr (lkt_integer<T>) {
            whole += c.x[i];
            if (saturate) whole = whole > INT_MAX ? INT_MAX : whole < INT_MIN ? INT_MIN : whole;
            sums[i] = (TD)(unsigned)whole;
        } else if constexpr (lkt_same<TD, double>) {
            sums[i] = sum + c.x[i];
        } else {
            sums[i] = (TD)(sum + (double)(float)c.x[i]);
        }
    }
    lkt_meet(line); /* others may still read this lane's part */
    for (int i = 0; i < M * N / 32; ++i) d.x[i] = sums[i];
}
#undef LKT_HERE
} }
)lkt";

} // namespace lkt::host_detail
