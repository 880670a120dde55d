// SPDX-License-Identifier: BSL-1.0
// The text that a translation of WGSL is compiled behind, part 4: what invocations do together.
#pragma once

#include <string_view>

namespace lkt::host_detail {

inline constexpr std::string_view shim_wgsl_atomics = R"lkt(
LKT_IN lkt_vec<unsigned, 3> lkt_three(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
inline auto lkt_local_invocation_id() { return lkt_three(threadIdx.x, threadIdx.y, threadIdx.z); }
inline auto lkt_workgroup_id() { return lkt_three(blockIdx.x, blockIdx.y, blockIdx.z); }
inline auto lkt_num_workgroups() { return lkt_three(gridDim.x, gridDim.y, gridDim.z); }
inline auto lkt_global_invocation_id() {
    return lkt_three(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y, blockIdx.z * blockDim.z + threadIdx.z);
}
inline unsigned lkt_local_invocation_index() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
inline unsigned lkt_subgroup_size() { return lkt_host.subgroup; }
inline unsigned lkt_subgroup_invocation_id() { return lkt_local_invocation_index() % lkt_host.subgroup; }
inline unsigned lkt_subgroup_id() { return lkt_local_invocation_index() / lkt_host.subgroup; }
inline unsigned lkt_num_subgroups() { return (blockDim.x * blockDim.y * blockDim.z + lkt_host.subgroup - 1) / lkt_host.subgroup; }

template <class T> inline T lkt_atomicLoad(lkt_atomic<T>* p) { return __atomic_load_n(&p->v, 5); }
template <class T, class V> inline void lkt_atomicStore(lkt_atomic<T>* p, V v) { __atomic_store_n(&p->v, lkt_to<T>(v), 5); }
template <class T, class V> inline T lkt_atomicAdd(lkt_atomic<T>* p, V v) { return __atomic_fetch_add(&p->v, lkt_to<T>(v), 5); }
template <class T, class V> inline T lkt_atomicSub(lkt_atomic<T>* p, V v) { return __atomic_fetch_sub(&p->v, lkt_to<T>(v), 5); }
template <class T, class V> inline T lkt_atomicAnd(lkt_atomic<T>* p, V v) { return __atomic_fetch_and(&p->v, lkt_to<T>(v), 5); }
template <class T, class V> inline T lkt_atomicOr(lkt_atomic<T>* p, V v) { return __atomic_fetch_or(&p->v, lkt_to<T>(v), 5); }
template <class T, class V> inline T lkt_atomicXor(lkt_atomic<T>* p, V v) { return __atomic_fetch_xor(&p->v, lkt_to<T>(v), 5); }
template <class T, class V> inline T lkt_atomicMin(lkt_atomic<T>* p, V v) { return atomicMin(&p->v, lkt_to<T>(v)); }
template <class T, class V> inline T lkt_atomicMax(lkt_atomic<T>* p, V v) { return atomicMax(&p->v, lkt_to<T>(v)); }
template <class T, class V> inline T lkt_atomicExchange(lkt_atomic<T>* p, V v) { return __atomic_exchange_n(&p->v, lkt_to<T>(v), 5); }
template <class T> struct lkt_exchanged { T m_old_value; bool m_exchanged; };
template <class T, class V, class W> inline lkt_exchanged<T> lkt_atomicCompareExchangeWeak(lkt_atomic<T>* p, V expected, W v) {
    T old = lkt_to<T>(expected);
    bool const done = __atomic_compare_exchange_n(&p->v, &old, lkt_to<T>(v), false, 5, 5);
    return {old, done};
}
)lkt";

/// Where invocations wait for each other. A subgroup is a part of a warp: each of its functions
/// collects what all of its invocations bring.
inline constexpr std::string_view shim_wgsl_waits = R"lkt(
#define LKT_HERE int line = __builtin_LINE()
inline void lkt_workgroupBarrier(LKT_HERE) { lkt_sync(0, 1, line); }
inline void lkt_storageBarrier(LKT_HERE) { lkt_sync(0, 2, line); }
inline void lkt_textureBarrier(LKT_HERE) { lkt_sync(0, 0, line); }
template <class T> inline T lkt_workgroupUniformLoad(T const* p, LKT_HERE) {
    lkt_sync(0, 1, line);
    T const v = *p;
    lkt_sync(0, 1, line);
    return v;
}
template <class T> inline T lkt_workgroupUniformLoad(lkt_atomic<T>* p, LKT_HERE) {
    lkt_sync(0, 1, line);
    T const v = lkt_atomicLoad(p);
    lkt_sync(0, 1, line);
    return v;
}

inline unsigned lkt_me() { return lkt_subgroup_invocation_id(); }
/* The warp's lanes that are this subgroup. */
inline unsigned lkt_lanes_of_mine() {
    unsigned const n = lkt_host.subgroup, first = lkt_local_invocation_index() % 32u / n * n;
    return (n == 32u ? ~0u : (1u << n) - 1u) << first;
}
inline unsigned lkt_first_of_mine() { return lkt_local_invocation_index() % 32u / lkt_host.subgroup * lkt_host.subgroup; }
/* Who takes part, and what they bring. */
template <class T> struct lkt_gathered {
    unsigned there; /* a bit for each invocation of the subgroup */
    T values[32];
    bool has(unsigned i) const { return i < 32u && (there >> i & 1u) != 0; }
};
template <class T> inline lkt_gathered<T> lkt_gather(T v, int line) {
    lkt_gathered<T> all{};
    unsigned const lanes = lkt_lanes_of_mine(), first = lkt_first_of_mine();
    all.there = (unsigned)lkt_warp(5, lanes, 1, 0, 32, line) >> first;
    unsigned long long const mine = [&] {
        unsigned long long bits = 0;
        __builtin_memcpy(&bits, &v, sizeof(T));
        return bits;
    }();
    for (unsigned i = 0; i < lkt_host.subgroup; ++i) {
        if (!all.has(i)) continue;
        unsigned long long const bits = lkt_warp(1, lanes, mine, first + i, 32, line);
        __builtin_memcpy(&all.values[i], &bits, sizeof(T));
    }
    return all;
}
/* `f` of what is gathered, for a scalar or each lane of a vector. */
template <class A, class F> inline auto lkt_together(A const& a, int line, F f) {
    return lkt_each([&](auto x) { return f(lkt_gather(x, line)); }, lkt_value(a));
}
#define LKT_FOLD(name, next)                                                                      \
    template <class A> inline auto lkt_##name(A const& a, LKT_HERE) {                             \
        return lkt_together(a, line, [](auto const& g) {                                          \
            auto r = g.values[__builtin_ctz(g.there)];                                            \
            for (unsigned i = __builtin_ctz(g.there) + 1; i < 32u; ++i)                           \
                if (g.has(i)) { auto const v = g.values[i]; r = (decltype(r))(next); }            \
            return r;                                                                             \
        });                                                                                       \
    }
LKT_FOLD(subgroupAdd, r + v) LKT_FOLD(subgroupMul, r * v) LKT_FOLD(subgroupMin, lkt_min(r, v)) LKT_FOLD(subgroupMax, lkt_max(r, v))
LKT_FOLD(subgroupAnd, lkt_and(r, v)) LKT_FOLD(subgroupOr, lkt_or(r, v)) LKT_FOLD(subgroupXor, lkt_xor(r, v))
LKT_FOLD(subgroupAll, r && v) LKT_FOLD(subgroupAny, r || v)
#undef LKT_FOLD
#define LKT_SCAN(name, begin, sign, last)                                                         \
    template <class A> inline auto lkt_##name(A const& a, LKT_HERE) {                             \
        return lkt_together(a, line, [](auto const& g) {                                          \
            auto r = lkt_to<lkt_plain<decltype(g.values[0])>>(lkt_ai{begin});                     \
            for (unsigned i = 0; i last lkt_me(); ++i)                                            \
                if (g.has(i)) r = (decltype(r))(r sign g.values[i]);                              \
            return r;                                                                             \
        });                                                                                       \
    }
LKT_SCAN(subgroupExclusiveAdd, 0, +, <) LKT_SCAN(subgroupInclusiveAdd, 0, +, <=)
LKT_SCAN(subgroupExclusiveMul, 1, *, <) LKT_SCAN(subgroupInclusiveMul, 1, *, <=)
#undef LKT_SCAN
/* The value of invocation `from`, which each chooses for itself. */
template <class A> inline auto lkt_fetch(A const& a, unsigned from, int line) {
    return lkt_together(a, line, [from](auto const& g) { return g.values[g.has(from) ? from : lkt_me()]; });
}
template <class A, class I> inline auto lkt_subgroupShuffle(A const& a, I i, LKT_HERE) { return lkt_fetch(a, lkt_index(i), line); }
template <class A, class I> inline auto lkt_subgroupShuffleXor(A const& a, I i, LKT_HERE) { return lkt_fetch(a, lkt_me() ^ lkt_index(i), line); }
template <class A, class I> inline auto lkt_subgroupShuffleUp(A const& a, I i, LKT_HERE) { return lkt_fetch(a, lkt_me() - lkt_index(i), line); }
template <class A, class I> inline auto lkt_subgroupShuffleDown(A const& a, I i, LKT_HERE) { return lkt_fetch(a, lkt_me() + lkt_index(i), line); }
template <class A, class I> inline auto lkt_subgroupBroadcast(A const& a, I i, LKT_HERE) { return lkt_fetch(a, lkt_index(i), line); }
template <class A> inline auto lkt_subgroupBroadcastFirst(A const& a, LKT_HERE) {
    return lkt_together(a, line, [](auto const& g) { return g.values[__builtin_ctz(g.there)]; });
}
template <class A, class I> inline auto lkt_quadBroadcast(A const& a, I i, LKT_HERE) { return lkt_fetch(a, (lkt_me() & ~3u) + lkt_index(i), line); }
template <class A> inline auto lkt_quadSwapX(A const& a, LKT_HERE) { return lkt_fetch(a, lkt_me() ^ 1u, line); }
template <class A> inline auto lkt_quadSwapY(A const& a, LKT_HERE) { return lkt_fetch(a, lkt_me() ^ 2u, line); }
template <class A> inline auto lkt_quadSwapDiagonal(A const& a, LKT_HERE) { return lkt_fetch(a, lkt_me() ^ 3u, line); }
inline lkt_vec<unsigned, 4> lkt_subgroupBallot(bool a, LKT_HERE) {
    auto const g = lkt_gather(a, line);
    lkt_vec<unsigned, 4> r{};
    for (unsigned i = 0; i < 32u; ++i) r.m_x |= g.has(i) && g.values[i] ? 1u << i : 0u;
    return r;
}
inline lkt_vec<unsigned, 4> lkt_subgroupBallot(LKT_HERE) { return lkt_subgroupBallot(true, line); }
inline bool lkt_subgroupElect(LKT_HERE) { return (unsigned)__builtin_ctz(lkt_gather(true, line).there) == lkt_me(); }
inline void lkt_subgroupBarrier(LKT_HERE) { lkt_warp(0, lkt_lanes_of_mine(), 0, 0, 32, line); }
#undef LKT_HERE
)lkt";

} // namespace lkt::host_detail
