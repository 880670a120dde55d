// SPDX-License-Identifier: BSL-1.0
// The text that a CUDA kernel is compiled behind, part 7: asynchronous copies, cuda::barrier and
// cooperative groups.
#pragma once

#include <string_view>

namespace lkt::host_detail {

/// `cuda_pipeline.h`. A copy may land at any time until it is waited for: here that is as late as
/// it can be, so that what does not wait finds the old contents, and in the build that looks for
/// races as early, so that what still reads the old contents is in its way.
inline constexpr std::string_view shim_copies = R"lkt(
struct lkt_copy {
    char* to;
    char const* from;
    unsigned size, zeros, batch;
};
struct lkt_copy_queue {
    lkt_copy copies[32];
    unsigned first, count, batch;
};
static thread_local lkt_copy_queue lkt_queues[1024];
inline lkt_copy_queue& lkt_own_queue() {
    return lkt_queues[threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)];
}
inline void lkt_land(lkt_copy const& c) {
    for (unsigned i = 0; i < c.size; ++i) c.to[i] = i < c.size - c.zeros ? c.from[i] : 0;
}
inline void lkt_land_first(lkt_copy_queue& q) {
    lkt_land(q.copies[q.first]);
    q.first = (q.first + 1) % 32, --q.count;
}
inline void lkt_copy_async(void* to, void const* from, size_t size, size_t zeros) {
    lkt_copy_queue& q = lkt_own_queue();
    lkt_copy const c = {(char*)to, (char const*)from, (unsigned)size, (unsigned)zeros, q.batch};
#if defined(LKT_RACES)
    lkt_land(c);
#else
    if (q.count == 32) lkt_land_first(q);
    q.copies[(q.first + q.count++) % 32] = c;
#endif
}
inline void lkt_commit_copies() { ++lkt_own_queue().batch; }
/* Waits for all but the latest `but` batches. */
inline void lkt_wait_copies(unsigned but) {
    lkt_copy_queue& q = lkt_own_queue();
    while (q.count != 0 && q.copies[q.first].batch + but < q.batch) lkt_land_first(q);
}
inline void lkt_drop_copies() {
    for (unsigned t = 0; t < blockDim.x * blockDim.y * blockDim.z; ++t)
        lkt_queues[t].count = lkt_queues[t].batch = 0;
}
/* Each thread of a group copies its share. */
template <class G> inline void lkt_share_copy(G const& g, void* to, void const* from, size_t bytes) {
    size_t const step = bytes % 16 == 0 ? 16 : bytes % 4 == 0 ? 4 : 1;
    for (size_t at = g.thread_rank() * step; at < bytes; at += g.size() * step)
        lkt_copy_async((char*)to + at, (char const*)from + at, step, 0);
}
inline void __pipeline_memcpy_async(void* to, void const* from, size_t size, size_t zeros = 0) {
    if ((size != 4 && size != 8 && size != 16) || zeros > size || (size_t)to % size != 0 || (size_t)from % size != 0)
        __builtin_trap();
    lkt_copy_async(to, from, size, zeros);
}
inline void __pipeline_commit() { lkt_commit_copies(); }
inline void __pipeline_wait_prior(size_t but) { lkt_wait_copies((unsigned)but); }
)lkt";

/// `cuda/barrier` and `cuda/pipeline`, as far as one block needs them.
inline constexpr std::string_view shim_waits = R"lkt(
namespace cuda {
#define LKT_HERE int line = __builtin_LINE()
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
template <size_t N> struct aligned_size_t {
    size_t value;
    explicit aligned_size_t(size_t n) : value(n) {}
    operator size_t() const { return value; }
};
template <thread_scope Scope> class barrier {
    static_assert(Scope == thread_scope_block, "only barriers of one block are known here");
    unsigned expected_, pending_, phase_;
public:
    using arrival_token = unsigned;
    barrier() = default;
    barrier(long long expected) : expected_((unsigned)expected), pending_(expected_), phase_(0) {}
    barrier(barrier const&) = delete;
    friend void init(barrier* b, long long expected) {
        b->expected_ = b->pending_ = (unsigned)expected, b->phase_ = 0;
    }
    arrival_token arrive(long long n = 1) {
        unsigned const phase = __atomic_load_n(&phase_, 5);
        lkt_commit_copies(); /* those that this thread has bound to the barrier are complete with it */
        lkt_wait_copies(0);
        lkt_warp(17, 1, 0, 0, 32, 0);
        __atomic_thread_fence(4);
        if (__atomic_sub_fetch(&pending_, (unsigned)n, 5) == 0) {
            __atomic_thread_fence(4);
            __atomic_store_n(&pending_, __atomic_load_n(&expected_, 5), 5);
            __atomic_store_n(&phase_, phase + 1, 5);
        }
        return phase;
    }
    void wait(arrival_token const& phase, LKT_HERE) const {
        while (__atomic_load_n(&phase_, 5) == phase) lkt_warp(17, 0, 0, 0, 32, line);
        __atomic_thread_fence(4);
    }
    void wait_parity(bool parity, LKT_HERE) const {
        while ((__atomic_load_n(&phase_, 5) & 1) == (unsigned)parity) lkt_warp(17, 0, 0, 0, 32, line);
        __atomic_thread_fence(4);
    }
    void arrive_and_wait(LKT_HERE) { wait(arrive(), line); }
    void arrive_and_drop() {
        __atomic_sub_fetch(&expected_, 1, 5);
        (void)arrive();
    }
};
template <thread_scope Scope> class pipeline {
    static_assert(Scope == thread_scope_thread, "only pipelines of one thread are known here");
public:
    void producer_acquire() {}
    void producer_commit() { lkt_commit_copies(); }
    /* For the oldest batch that has not been released. */
    void consumer_wait() {
        unsigned const committed = lkt_own_queue().batch - begun_;
        lkt_wait_copies(committed > released_ ? committed - released_ - 1 : 0);
    }
    void consumer_release() { ++released_; }
    void quit() {}
private:
    unsigned released_ = 0, begun_ = lkt_own_queue().batch;
};
inline pipeline<thread_scope_thread> make_pipeline() { return {}; }
template <unsigned char But> inline void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>&) {
    lkt_wait_copies(But);
}
template <class Size, class On> inline void memcpy_async(void* to, void const* from, Size size, On&) {
    lkt_copy_async(to, from, (size_t)size, 0);
}
template <class G, class Size, class On>
inline void memcpy_async(G const& g, void* to, void const* from, Size size, On&) {
    lkt_share_copy(g, to, from, (size_t)size);
}
#undef LKT_HERE
}
)lkt";

/// Groups of a block. The lanes of `coalesced_threads` are those of `__activemask`.
inline constexpr std::string_view shim_groups = R"lkt(
namespace cooperative_groups {
#define LKT_HERE int line = __builtin_LINE()
inline unsigned lkt_thread() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
struct thread_block {
    static void sync(LKT_HERE) { lkt_sync(0, 0, line); }
    static unsigned thread_rank() { return lkt_thread(); }
    static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    static unsigned size() { return num_threads(); }
    static dim3 group_index() { return blockIdx; }
    static dim3 thread_index() { return threadIdx; }
    static dim3 group_dim() { return blockDim; }
    static dim3 dim_threads() { return blockDim; }
    static bool is_valid() { return true; }
};
inline thread_block this_thread_block() { return {}; }
struct grid_group {
    static unsigned long long block_rank() { return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z); }
    static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    static unsigned long long thread_rank() { return block_rank() * thread_block::size() + lkt_thread(); }
    static unsigned long long num_threads() { return num_blocks() * thread_block::size(); }
    static unsigned long long size() { return num_threads(); }
    static dim3 group_dim() { return gridDim; }
    static dim3 dim_blocks() { return gridDim; }
    static dim3 block_index() { return blockIdx; }
    static bool is_valid() { return false; } /* launches are not cooperative */
    void sync() const = delete;
};
inline grid_group this_grid() { return {}; }
/* Of `n` lanes, a power of two of at most 32. */
class lkt_lanes {
    unsigned n_;
    unsigned first() const { return lkt_thread() % 32 & ~(n_ - 1); }
    unsigned ones() const { return n_ == 32 ? 0xffffffffu : (1u << n_) - 1; }
    unsigned mask() const { return ones() << first(); }
    /* Words of any type that can be copied. */
    template <class T> T exchange(int what, T v, unsigned a, int line) const {
        constexpr unsigned count = (sizeof(T) + 7) / 8;
        unsigned long long words[count] = {};
        __builtin_memcpy(words, &v, sizeof(T));
        for (auto& w : words) w = lkt_warp(what, mask(), w, a, n_, line);
        __builtin_memcpy(&v, words, sizeof(T));
        return v;
    }
protected:
    explicit lkt_lanes(unsigned n) : n_(n) {
        if (n == 0 || n > 32 || (n & (n - 1)) != 0) __builtin_trap();
    }
public:
    void sync(LKT_HERE) const { lkt_warp(0, mask(), 0, 0, 32, line); }
    unsigned thread_rank() const { return lkt_thread() % n_; }
    unsigned num_threads() const { return n_; }
    unsigned size() const { return n_; }
    unsigned meta_group_rank() const { return lkt_thread() / n_; }
    unsigned meta_group_size() const { return (thread_block::size() + n_ - 1) / n_; }
    static bool is_valid() { return true; }
    template <class T> T shfl(T v, unsigned from, LKT_HERE) const { return exchange(1, v, from, line); }
    template <class T> T shfl_up(T v, unsigned by, LKT_HERE) const { return exchange(2, v, by, line); }
    template <class T> T shfl_down(T v, unsigned by, LKT_HERE) const { return exchange(3, v, by, line); }
    template <class T> T shfl_xor(T v, unsigned lanes, LKT_HERE) const { return exchange(4, v, lanes, line); }
    unsigned ballot(int p, LKT_HERE) const { return (unsigned)lkt_warp(5, mask(), p != 0, 0, 32, line) >> first() & ones(); }
    int all(int p, LKT_HERE) const { return (int)lkt_warp(6, mask(), p != 0, 0, 32, line); }
    int any(int p, LKT_HERE) const { return (int)lkt_warp(7, mask(), p != 0, 0, 32, line); }
    template <class T> requires(sizeof(T) == 4 || sizeof(T) == 8) unsigned match_any(T v, LKT_HERE) const {
        return (unsigned)lkt_warp(8, mask(), lkt_bits(v), 0, 32, line) >> first() & ones();
    }
    template <class T> requires(sizeof(T) == 4 || sizeof(T) == 8) unsigned match_all(T v, int& same, LKT_HERE) const {
        unsigned const r = (unsigned)lkt_warp(9, mask(), lkt_bits(v), 0, 32, line);
        same = r != 0;
        return r >> first() & ones();
    }
};
template <unsigned N, class Parent = void> struct thread_block_tile : lkt_lanes {
    static_assert(N >= 1 && N <= 32 && (N & (N - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads here");
    thread_block_tile() : lkt_lanes(N) {}
    template <class Other> thread_block_tile(thread_block_tile<N, Other> const&) : lkt_lanes(N) {}
    static constexpr unsigned num_threads() { return N; }
    static constexpr unsigned size() { return N; }
};
/* What a group becomes whose kind is known at run time alone. */
struct thread_group : lkt_lanes {
    explicit thread_group(unsigned n) : lkt_lanes(n) {}
};
template <unsigned N, class P> inline thread_block_tile<N, P> tiled_partition(P const&) { return {}; }
template <class P> inline thread_group tiled_partition(P const&, unsigned n) { return thread_group(n); }
struct coalesced_group {
    unsigned lanes;
    void sync(LKT_HERE) const { __syncwarp(lanes, line); }
    unsigned thread_rank() const { return (unsigned)__builtin_popcount(lanes & ((1u << lkt_own_lane()) - 1)); }
    unsigned num_threads() const { return (unsigned)__builtin_popcount(lanes); }
    unsigned size() const { return num_threads(); }
    /* The lane of a rank, and the other way round the ranks of lanes. */
    int lane_of(unsigned rank) const {
        unsigned rest = lanes;
        for (; rank > 0 && (rest & (rest - 1)) != 0; --rank) rest &= rest - 1;
        return __builtin_ctz(rest);
    }
    unsigned ranks_of(unsigned some) const {
        unsigned ranks = 0, rank = 0;
        for (unsigned rest = lanes; rest != 0; rest &= rest - 1, ++rank)
            ranks |= ((some >> __builtin_ctz(rest)) & 1) << rank;
        return ranks;
    }
    template <class T> T shfl(T v, unsigned rank, LKT_HERE) const { return __shfl_sync(lanes, v, lane_of(rank % size()), 32, line); }
    template <class T> T shfl_up(T v, unsigned by, LKT_HERE) const {
        unsigned const rank = thread_rank();
        return __shfl_sync(lanes, v, lane_of(rank < by ? rank : rank - by), 32, line);
    }
    template <class T> T shfl_down(T v, unsigned by, LKT_HERE) const {
        unsigned const rank = thread_rank();
        return __shfl_sync(lanes, v, lane_of(rank + by < size() ? rank + by : rank), 32, line);
    }
    unsigned ballot(int p, LKT_HERE) const { return ranks_of(__ballot_sync(lanes, p, line)); }
    int all(int p, LKT_HERE) const { return __all_sync(lanes, p, line); }
    int any(int p, LKT_HERE) const { return __any_sync(lanes, p, line); }
    template <class T> unsigned match_any(T v, LKT_HERE) const { return ranks_of(__match_any_sync(lanes, v, line)); }
    static bool is_valid() { return true; }
};
inline coalesced_group coalesced_threads(LKT_HERE) { return {__activemask(line)}; }
template <class G> inline void sync(G const& g, LKT_HERE) {
    if constexpr (requires { g.sync(line); }) g.sync(line);
    else g.sync();
}
template <class T> struct plus { T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { T operator()(T a, T b) const { return a ^ b; } };
template <class G, class T, class F> inline T reduce(G const& g, T v, F f, LKT_HERE) {
    if constexpr (requires { g.shfl_xor(v, 1, line); })
        for (unsigned by = g.size() / 2; by > 0; by /= 2) v = f(v, g.shfl_xor(v, by, line));
    else if constexpr (requires { g.lanes; }) {
        T all = g.shfl(v, 0, line);
        for (unsigned rank = 1; rank < g.size(); ++rank) all = f(all, g.shfl(v, rank, line));
        v = all;
    }
    return v;
}
template <class G, class T, class F> inline T inclusive_scan(G const& g, T v, F f, LKT_HERE) {
    if constexpr (requires { g.shfl_up(v, 1, line); })
        for (unsigned by = 1; by < g.size(); by *= 2) {
            T const before = g.shfl_up(v, by, line);
            if (g.thread_rank() >= by) v = f(before, v);
        }
    return v;
}
template <class G, class T> inline T inclusive_scan(G const& g, T v, LKT_HERE) { return inclusive_scan(g, v, plus<T>{}, line); }
template <class G, class T, class F> inline T exclusive_scan(G const& g, T v, F f, LKT_HERE) {
    T const all = inclusive_scan(g, v, f, line);
    if constexpr (requires { g.shfl_up(v, 1, line); }) {
        T const before = g.shfl_up(all, 1, line);
        return g.thread_rank() == 0 ? T{} : before;
    }
    return T{};
}
template <class G, class T> inline T exclusive_scan(G const& g, T v, LKT_HERE) { return exclusive_scan(g, v, plus<T>{}, line); }
template <class G, class T, class Size> inline void memcpy_async(G const& g, T* to, T const* from, Size size) {
    lkt_share_copy(g, to, from, (size_t)size);
    lkt_commit_copies();
}
template <unsigned But, class G> inline void wait_prior(G const& g, LKT_HERE) {
    lkt_wait_copies(But);
    sync(g, line);
}
template <class G> inline void wait(G const& g, LKT_HERE) { wait_prior<0>(g, line); }
#undef LKT_HERE
}
)lkt";

} // namespace lkt::host_detail
