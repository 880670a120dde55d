// SPDX-License-Identifier: BSL-1.0
// The text that a CUDA kernel is compiled behind, part 3: what threads do together.
#pragma once

#include <string_view>

namespace lkt::host_detail {

inline constexpr std::string_view shim_atomics = R"lkt(
template <class T> struct lkt_identity { using type = T; };
template <class T> using lkt_as = typename lkt_identity<T>::type;
template <class T> concept lkt_atomic_integer = lkt_same<T, int> || lkt_same<T, unsigned> ||
    lkt_same<T, long> || lkt_same<T, unsigned long> || lkt_same<T, long long> || lkt_same<T, unsigned long long>;
template <class T> concept lkt_atomic_float = lkt_same<T, float> || lkt_same<T, double>;
template <class T, class F> inline T lkt_atomic_update(T* p, F f) {
    T old;
    __atomic_load(p, &old, 0);
    for (;;) {
        T next = f(old);
        if (__atomic_compare_exchange(p, &old, &next, true, 5, 0)) return old;
    }
}
template <lkt_atomic_integer T> inline T atomicAdd(T* p, lkt_as<T> v) { return __atomic_fetch_add(p, v, 5); }
template <lkt_atomic_float T> inline T atomicAdd(T* p, lkt_as<T> v) {
    return lkt_atomic_update(p, [v](T o) { return o + v; });
}
template <lkt_atomic_integer T> inline T atomicSub(T* p, lkt_as<T> v) { return __atomic_fetch_sub(p, v, 5); }
template <lkt_atomic_integer T> inline T atomicAnd(T* p, lkt_as<T> v) { return __atomic_fetch_and(p, v, 5); }
template <lkt_atomic_integer T> inline T atomicOr(T* p, lkt_as<T> v) { return __atomic_fetch_or(p, v, 5); }
template <lkt_atomic_integer T> inline T atomicXor(T* p, lkt_as<T> v) { return __atomic_fetch_xor(p, v, 5); }
template <lkt_atomic_integer T> inline T atomicMin(T* p, lkt_as<T> v) {
    return lkt_atomic_update(p, [v](T o) { return o < v ? o : v; });
}
template <lkt_atomic_integer T> inline T atomicMax(T* p, lkt_as<T> v) {
    return lkt_atomic_update(p, [v](T o) { return o < v ? v : o; });
}
template <class T> requires(lkt_atomic_integer<T> || lkt_atomic_float<T>)
inline T atomicExch(T* p, lkt_as<T> v) {
    T old;
    __atomic_exchange(p, &v, &old, 5);
    return old;
}
template <class T> requires(lkt_atomic_integer<T> || lkt_same<T, unsigned short>)
inline T atomicCAS(T* p, lkt_as<T> expected, lkt_as<T> v) {
    __atomic_compare_exchange(p, &expected, &v, false, 5, 5);
    return expected;
}
inline unsigned atomicInc(unsigned* p, unsigned v) {
    return lkt_atomic_update(p, [v](unsigned o) { return o >= v ? 0u : o + 1; });
}
inline unsigned atomicDec(unsigned* p, unsigned v) {
    return lkt_atomic_update(p, [v](unsigned o) { return o == 0 || o > v ? v : o - 1; });
}
/* Whoever watches learns that the atomics meanwhile are for the block alone. */
struct lkt_of_block {
#if defined(LKT_RACES)
    lkt_of_block() { lkt_host.access(nullptr, 0, 16, nullptr); }
    ~lkt_of_block() { lkt_host.access(nullptr, 0, 0, nullptr); }
#endif
};
#define LKT_SCOPES(n)                                                                             \
    template <class... A> inline auto n##_block(A... a) {                                         \
        lkt_of_block const scope{};                                                               \
        return n(a...);                                                                           \
    }                                                                                             \
    template <class... A> inline auto n##_system(A... a) { return n(a...); }
LKT_SCOPES(atomicAdd) LKT_SCOPES(atomicSub) LKT_SCOPES(atomicMin) LKT_SCOPES(atomicMax)
LKT_SCOPES(atomicExch) LKT_SCOPES(atomicCAS) LKT_SCOPES(atomicAnd) LKT_SCOPES(atomicOr)
LKT_SCOPES(atomicXor) LKT_SCOPES(atomicInc) LKT_SCOPES(atomicDec)
#undef LKT_SCOPES
)lkt";

/// Only where fibres run: elsewhere a barrier does not compile, so none can be overlooked.
inline constexpr std::string_view shim_barriers = R"lkt(
#define LKT_HERE int line = __builtin_LINE()
/* Every thread has its own index variables, which the threads that run meanwhile overwrite. */
inline int lkt_sync(int what, int predicate, int line) {
    uint3 const mine = threadIdx;
    int const r = lkt_host.sync(what, predicate, line);
    threadIdx = mine;
    return r;
}
#if defined(LKT_HIP)
typedef unsigned long long lkt_lane_mask; /* in HIP, whatever a wave has */
#else
typedef unsigned lkt_lane_mask;
#endif
static constexpr lkt_lane_mask lkt_every_lane = LKT_LANES == 64 ? ~(lkt_lane_mask)0 : (lkt_lane_mask)0xffffffffu;
inline unsigned long long lkt_warp(int what, lkt_lane_mask mask, unsigned long long v, unsigned a, unsigned width, int line) {
    uint3 const mine = threadIdx;
    unsigned long long const r = lkt_host.warp(what, mask & lkt_every_lane, v, a, width, line);
    threadIdx = mine;
    return r;
}
inline void __syncthreads(LKT_HERE) { lkt_sync(0, 0, line); }
inline int __syncthreads_count(int p, LKT_HERE) { return lkt_sync(1, p != 0, line); }
inline int __syncthreads_and(int p, LKT_HERE) { return lkt_sync(2, p != 0, line); }
inline int __syncthreads_or(int p, LKT_HERE) { return lkt_sync(3, p != 0, line); }
inline void __syncwarp(lkt_lane_mask mask = lkt_every_lane, LKT_HERE) { lkt_warp(0, mask, 0, 0, 32, line); }
template <class T> inline unsigned long long lkt_bits(T v) {
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &v, sizeof(T));
    return bits;
}
template <class T> requires(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8)
inline T lkt_shuffle(int what, lkt_lane_mask mask, T v, unsigned a, int width, int line) {
    unsigned long long const bits = lkt_warp(what, mask, lkt_bits(v), a, (unsigned)width, line);
    __builtin_memcpy(&v, &bits, sizeof(T));
    return v;
}
template <class T> inline T __shfl_sync(lkt_lane_mask mask, T v, int lane, int width = warpSize, LKT_HERE) {
    return lkt_shuffle(1, mask, v, (unsigned)lane, width, line);
}
template <class T> inline T __shfl_up_sync(lkt_lane_mask mask, T v, unsigned delta, int width = warpSize, LKT_HERE) {
    return lkt_shuffle(2, mask, v, delta, width, line);
}
template <class T> inline T __shfl_down_sync(lkt_lane_mask mask, T v, unsigned delta, int width = warpSize, LKT_HERE) {
    return lkt_shuffle(3, mask, v, delta, width, line);
}
template <class T> inline T __shfl_xor_sync(lkt_lane_mask mask, T v, int lanes, int width = warpSize, LKT_HERE) {
    return lkt_shuffle(4, mask, v, (unsigned)lanes, width, line);
}
inline lkt_lane_mask __ballot_sync(lkt_lane_mask mask, int p, LKT_HERE) { return (lkt_lane_mask)lkt_warp(5, mask, p != 0, 0, 32, line); }
inline int __all_sync(lkt_lane_mask mask, int p, LKT_HERE) { return (int)lkt_warp(6, mask, p != 0, 0, 32, line); }
inline int __any_sync(lkt_lane_mask mask, int p, LKT_HERE) { return (int)lkt_warp(7, mask, p != 0, 0, 32, line); }
template <class T> requires(sizeof(T) == 4 || sizeof(T) == 8)
inline lkt_lane_mask __match_any_sync(lkt_lane_mask mask, T v, LKT_HERE) { return (lkt_lane_mask)lkt_warp(8, mask, lkt_bits(v), 0, 32, line); }
template <class T> requires(sizeof(T) == 4 || sizeof(T) == 8)
inline lkt_lane_mask __match_all_sync(lkt_lane_mask mask, T v, int* all, LKT_HERE) {
    lkt_lane_mask const r = (lkt_lane_mask)lkt_warp(9, mask, lkt_bits(v), 0, 32, line);
    *all = r != 0;
    return r;
}
inline unsigned __reduce_add_sync(lkt_lane_mask m, unsigned v, LKT_HERE) { return (unsigned)lkt_warp(10, m, v, 0, 32, line); }
inline int __reduce_add_sync(lkt_lane_mask m, int v, LKT_HERE) { return (int)lkt_warp(10, m, (unsigned)v, 0, 32, line); }
inline unsigned __reduce_min_sync(lkt_lane_mask m, unsigned v, LKT_HERE) { return (unsigned)lkt_warp(11, m, v, 0, 32, line); }
inline int __reduce_min_sync(lkt_lane_mask m, int v, LKT_HERE) { return (int)((unsigned)lkt_warp(11, m, (unsigned)v ^ 0x80000000u, 0, 32, line) ^ 0x80000000u); }
inline unsigned __reduce_max_sync(lkt_lane_mask m, unsigned v, LKT_HERE) { return (unsigned)lkt_warp(12, m, v, 0, 32, line); }
inline int __reduce_max_sync(lkt_lane_mask m, int v, LKT_HERE) { return (int)((unsigned)lkt_warp(12, m, (unsigned)v ^ 0x80000000u, 0, 32, line) ^ 0x80000000u); }
inline unsigned __reduce_and_sync(lkt_lane_mask m, unsigned v, LKT_HERE) { return (unsigned)lkt_warp(13, m, v, 0, 32, line); }
inline unsigned __reduce_or_sync(lkt_lane_mask m, unsigned v, LKT_HERE) { return (unsigned)lkt_warp(14, m, v, 0, 32, line); }
inline unsigned __reduce_xor_sync(lkt_lane_mask m, unsigned v, LKT_HERE) { return (unsigned)lkt_warp(15, m, v, 0, 32, line); }
/* Which lanes run together, where not all of a warp come here, is a choice of the scheduler: all that do, some, or each alone. */
inline unsigned lkt_own_lane() { return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & (warpSize - 1); }
#if !defined(LKT_HIP)
inline unsigned __activemask(LKT_HERE) { return (unsigned)lkt_warp(18, 1u << lkt_own_lane(), 0, 0, 32, line); }
#else
/* Of the lanes that are there: a wave runs in step. */
inline unsigned __lane_id() { return lkt_own_lane(); }
template <class T> inline T __shfl(T v, int lane, int width = warpSize, LKT_HERE) { return lkt_shuffle(257, 0, v, (unsigned)lane, width, line); }
template <class T> inline T __shfl_up(T v, unsigned by, int width = warpSize, LKT_HERE) { return lkt_shuffle(258, 0, v, by, width, line); }
template <class T> inline T __shfl_down(T v, unsigned by, int width = warpSize, LKT_HERE) { return lkt_shuffle(259, 0, v, by, width, line); }
template <class T> inline T __shfl_xor(T v, int lanes, int width = warpSize, LKT_HERE) { return lkt_shuffle(260, 0, v, (unsigned)lanes, width, line); }
inline unsigned long long __ballot(int p, LKT_HERE) { return lkt_warp(261, 0, p != 0, 0, 32, line); }
inline int __all(int p, LKT_HERE) { return (int)lkt_warp(262, 0, p != 0, 0, 32, line); }
inline int __any(int p, LKT_HERE) { return (int)lkt_warp(263, 0, p != 0, 0, 32, line); }
inline unsigned long long __activemask(LKT_HERE) { return lkt_warp(261, 0, 1, 0, 32, line); }
#endif
#undef LKT_HERE
)lkt";

/// How the process that runs the kernel calls it: `lkt_module`, the only exported symbol.
inline constexpr std::string_view shim_runner = R"lkt(
struct lkt_launch {
    unsigned grid[3], block[3], dynamic_bytes;
    lkt_calls calls;
};
struct lkt_constant {
    void* address;
    unsigned long long size;
};
struct lkt_module {
    unsigned abi, fibres, arguments, constants;
    unsigned const* sizes;                                       /* of each argument, pointers + 2^31 */
    lkt_constant const* filled;                                  /* the host fills them */
    void (*start)(lkt_launch const*);                            /* before the blocks of a launch */
    void (*enter)(unsigned x, unsigned y, unsigned z, char* dynamic); /* this thread of the system runs a block */
    void (*row)(unsigned y, unsigned z, void* const* arguments); /* its threads of one y and z, in order */
    void (*thread)(unsigned x, unsigned y, unsigned z, void* const* arguments);
};
static void lkt_start(lkt_launch const* l) {
    gridDim.x = l->grid[0], gridDim.y = l->grid[1], gridDim.z = l->grid[2];
    blockDim.x = l->block[0], blockDim.y = l->block[1], blockDim.z = l->block[2];
    lkt_dynamic_bytes = l->dynamic_bytes;
    lkt_host = l->calls;
#if defined(LKT_RACES)
    lkt_access = lkt_host.access == nullptr ? nullptr : &lkt_accessed;
#endif
}
static void lkt_enter(unsigned x, unsigned y, unsigned z, char* dynamic) {
    blockIdx.x = x, blockIdx.y = y, blockIdx.z = z;
    lkt_dynamic = dynamic;
#if defined(LKT_WGSL)
    lkt_begin_block();
#endif
#if defined(LKT_COPIES)
    lkt_drop_copies();
#endif
#if defined(LKT_ASYNC)
    lkt_begin_async(dynamic, lkt_dynamic_bytes);
#endif
}
template <size_t... I> struct lkt_indices {};
template <size_t N, size_t... I> struct lkt_count : lkt_count<N - 1, N - 1, I...> {};
template <size_t... I> struct lkt_count<0, I...> { using type = lkt_indices<I...>; };
template <class T> inline constexpr unsigned lkt_size = sizeof(T);
template <class T> inline constexpr unsigned lkt_size<T*> = sizeof(T*) | 0x80000000u;
template <auto K> struct lkt_runner;
template <class... A, void (*K)(A...)> struct lkt_runner<K> {
    /* The limits on which device() insists. Without them the compiler has to fear that
       blockIdx.x * blockDim.x + threadIdx.x wraps, and does not vectorise. */
#if !defined(LKT_BRANCHES)
    __attribute__((flatten))
#endif
    __attribute__((noinline)) static void along_x(unsigned n, unsigned b, A... a) {
        if (n == 0 || n > 1024 || b > 2097151u || b * n > 2147482624u) __builtin_unreachable();
        blockDim.x = n, blockIdx.x = b; /* what they are already; now it is known here, too */
        for (unsigned x = 0; x < n; ++x) {
            threadIdx.x = x;
            K(a...);
        }
    }
    template <size_t... I> static void row_of(lkt_indices<I...>, void* const* p) {
        along_x(blockDim.x, blockIdx.x, *(A*)p[I]...);
    }
    template <size_t... I> static void thread_of(lkt_indices<I...>, void* const* p) { K(*(A*)p[I]...); }
    static void row(unsigned y, unsigned z, void* const* p) {
        threadIdx.y = y, threadIdx.z = z;
        row_of(typename lkt_count<sizeof...(A)>::type{}, p);
    }
    static void thread(unsigned x, unsigned y, unsigned z, void* const* p) {
        threadIdx.x = x, threadIdx.y = y, threadIdx.z = z;
        thread_of(typename lkt_count<sizeof...(A)>::type{}, p);
    }
    static constexpr unsigned sizes[sizeof...(A) + 1] = {lkt_size<A>..., 0};
};
#define LKT_EXPORT(abi, fibres, ...)                                                              \
    extern "C" __attribute__((visibility("default"))) lkt_module const lkt_kernel = {             \
        abi, fibres, sizeof lkt_runner<__VA_ARGS__>::sizes / sizeof(unsigned) - 1,                \
        sizeof lkt_filled / sizeof lkt_filled[0] - 1, lkt_runner<__VA_ARGS__>::sizes, lkt_filled, \
        lkt_start, lkt_enter,                                                                     \
        fibres ? nullptr : lkt_runner<__VA_ARGS__>::row, lkt_runner<__VA_ARGS__>::thread};
)lkt";

} // namespace lkt::host_detail
