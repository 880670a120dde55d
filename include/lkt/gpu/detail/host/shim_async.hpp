// SPDX-License-Identifier: BSL-1.0
// The text that a CUDA kernel is compiled behind, part 11: what runs beside the threads on Hopper.
#pragma once

#include <string_view>

namespace lkt::host_detail {

/// Addresses that fit into descriptors, mbarriers and numbered barriers. Where races are looked
/// for, whoever arrives leaves what it knows, and whoever has waited takes it.
inline constexpr std::string_view shim_mbarriers = R"lkt(
struct __attribute__((aligned(64))) CUtensorMap { unsigned long long opaque[16]; };
#define LKT_QUIET __attribute__((noinline, no_sanitize("thread")))
#define LKT_CALLER __builtin_return_address(0)
/* Kinds of what whoever watches is told. */
enum : unsigned { lkt_beside = 64, lkt_meets = 128, lkt_arrives = 0, lkt_completes = 1, lkt_waited = 2, lkt_proxy = 3 };
inline void lkt_note(void const* p, unsigned size, unsigned kind, void const* code) {
#if defined(LKT_RACES)
    lkt_accessed(p, size, kind, code);
#endif
}
inline void lkt_happened() { lkt_warp(17, 1, 0, 0, 32, 0); }
inline void lkt_idle(unsigned long long lacks, unsigned what, int line) { lkt_warp(17, 0, lacks, what, 32, line); }

/* Each variable in shared memory has a window of its own, in which its place has 18 bits. */
static thread_local unsigned lkt_taken;
LKT_QUIET void lkt_know_shared(void const* p, size_t size) {
    for (unsigned k = 0; k < lkt_window_count; ++k)
        if (lkt_known[k].begin == p) return;
    if (lkt_window_count == 255) __builtin_trap();
    lkt_taken += (unsigned)((size_t)p - lkt_taken) & 1023;
    lkt_known[lkt_window_count] = {(char*)p, size};
    lkt_windows[lkt_window_count++] = (char*)p - lkt_taken;
    lkt_taken += (unsigned)size;
}
/* Of a place in 18 bits; null where there is none. */
LKT_QUIET char* lkt_place_of(unsigned a) {
    for (unsigned k = 0; k < lkt_window_count; ++k)
        if (lkt_known[k].begin != nullptr && (size_t)(lkt_windows[k] + a - lkt_known[k].begin) < lkt_known[k].size)
            return lkt_windows[k] + a;
    return nullptr;
}

struct lkt_bar {
    char* at;
    unsigned phase, pending, expected;
    int bytes; /* of copies, that it waits for */
};
static thread_local lkt_bar lkt_bars[1024];
static thread_local struct { unsigned phase, came, of; } lkt_numbered[16];
struct lkt_bulk {
    enum { plain, tile, arrival } kind;
    lkt_bar* bar; /* null: in a group of its thread */
    unsigned thread, group, size;
    char* to;
    char const* from; /* of a tile: the map */
    int at[5];
};
static thread_local lkt_bulk lkt_bulks[512];
static thread_local unsigned lkt_bulk_count, lkt_bulk_groups[1024];

/* The place of an address among the barriers: its own, or where it would be. */
LKT_QUIET lkt_bar& lkt_bar_slot(char* p, int line) {
    if ((size_t)p % 8 != 0) lkt_fail("the address of an mbarrier is no multiple of 8", line);
    for (unsigned k = 0; k < 1024; ++k) {
        lkt_bar& b = lkt_bars[((size_t)p / 8 + k) % 1024];
        if (b.at == nullptr || b.at == p) return b;
    }
    lkt_fail("a block has more than 1024 mbarriers", line);
    __builtin_trap();
}
LKT_QUIET lkt_bar& lkt_bar_at(char* p, int line, void const* code) {
    lkt_bar& b = lkt_bar_slot(p, line);
    if (b.at == nullptr || b.expected == 0) lkt_fail("an mbarrier is used that nobody has initialised", line);
    lkt_note(p, 8, 2, code);
    return b;
}
LKT_QUIET void lkt_bar_completes(lkt_bar& b, void const* code) {
    if (b.pending != 0 || b.bytes != 0) return;
    ++b.phase, b.pending = b.expected;
    lkt_note(b.at, lkt_completes, lkt_meets, code);
    lkt_happened();
}
LKT_QUIET void lkt_bar_bytes(lkt_bar& b, long long n, int line) {
    if (b.bytes + n >= 1 << 20 || b.bytes + n <= -(1 << 20))
        lkt_fail(n > 0 ? "an mbarrier expects more than 1048575 bytes" : "an mbarrier has got 1048575 bytes more than it expects", line);
    b.bytes += (int)n;
}
LKT_QUIET unsigned long long lkt_bar_arrives(lkt_bar& b, unsigned n, int line, void const* code) {
    if (n == 0 || n > b.pending) lkt_fail("more threads arrive at an mbarrier than it waits for", line);
    unsigned const phase = b.phase;
    lkt_note(b.at, lkt_arrives, lkt_meets, code);
    b.pending -= n;
    lkt_bar_completes(b, code);
    return phase;
}
inline void lkt_mbarrier_init(char* p, unsigned n, int line) {
    lkt_bar& b = lkt_bar_slot(p, line);
    if (n == 0 || n >= 1 << 20) lkt_fail("an mbarrier waits for 1 to 1048575 threads", line);
    *(unsigned long long*)p = 0x4c4b'5400'0000'0000 + n; /* whoever watches sees it */
    b = {p, 0, n, n, 0};
}
LKT_QUIET void lkt_mbarrier_inval(char* p, int line) { lkt_bar_at(p, line, LKT_CALLER).expected = 0; }
LKT_QUIET unsigned long long lkt_mbarrier_arrive(char* p, unsigned n, unsigned bytes, int line) {
    lkt_bar& b = lkt_bar_at(p, line, LKT_CALLER);
    if (bytes != 0) lkt_bar_bytes(b, bytes, line);
    return lkt_bar_arrives(b, n, line, LKT_CALLER);
}
LKT_QUIET unsigned long long lkt_mbarrier_drop(char* p, unsigned n, int line) {
    lkt_bar& b = lkt_bar_at(p, line, LKT_CALLER);
    if (n > b.expected) lkt_fail("more threads leave an mbarrier than it waits for", line);
    b.expected -= n;
    return lkt_bar_arrives(b, n, line, LKT_CALLER);
}
/* Of copies: expects more, or has got as many as are taken away. */
LKT_QUIET void lkt_mbarrier_bytes(char* p, long long n, int line) {
    lkt_bar& b = lkt_bar_at(p, line, LKT_CALLER);
    lkt_bar_bytes(b, n, line);
    if (n < 0) lkt_bar_completes(b, LKT_CALLER);
}
inline void lkt_land_bulk(lkt_bulk const& c, int line, void const* code);
LKT_QUIET lkt_bulk lkt_take_bulk(unsigned k) {
    lkt_bulk const c = lkt_bulks[k];
    for (--lkt_bulk_count; k < lkt_bulk_count; ++k) lkt_bulks[k] = lkt_bulks[k + 1];
    return c;
}
/* Copies land when somebody waits for them and no thread is still to come. */
LKT_QUIET void lkt_bar_settle(lkt_bar& b, int line, void const* code) {
    unsigned const phase = b.phase;
    for (unsigned k = 0; k < lkt_bulk_count && b.phase == phase;)
        if (lkt_bulks[k].bar == &b && lkt_bulks[k].kind == lkt_bulk::arrival) {
            lkt_copy_queue& q = lkt_queues[lkt_take_bulk(k).thread];
            while (q.count != 0) lkt_land_first(q);
            lkt_bar_arrives(b, 1, line, code);
        } else ++k;
    for (unsigned k = 0; k < lkt_bulk_count && b.phase == phase && b.pending == 0;)
        if (lkt_bulks[k].bar == &b) {
            lkt_bulk const c = lkt_take_bulk(k);
            lkt_land_bulk(c, line, code);
            lkt_bar_bytes(b, -(long long)c.size, line);
            lkt_bar_completes(b, code);
        } else ++k;
}
/* Whether the phase of that parity is over; where it is not, others run first, and who looks once is wrong. */
LKT_QUIET bool lkt_mbarrier_wait(char* p, unsigned parity, int line) {
    lkt_bar& b = lkt_bar_at(p, line, LKT_CALLER);
    if ((b.phase & 1) == (parity & 1)) lkt_bar_settle(b, line, LKT_CALLER);
    if ((b.phase & 1) == (parity & 1)) {
        lkt_idle(b.pending | (unsigned long long)(unsigned)b.bytes << 32, 1, line);
        return false;
    }
    lkt_note(p, lkt_waited, lkt_meets, LKT_CALLER);
    return true;
}
LKT_QUIET void lkt_mbarrier_copies(char* p, bool counted, int line) {
    lkt_bar& b = lkt_bar_at(p, line, LKT_CALLER);
    if (!counted) ++b.pending;
#if defined(LKT_RACES)
    lkt_bar_arrives(b, 1, line, LKT_CALLER);
#else
    if (lkt_bulk_count == 512) lkt_fail("more than 512 copies are under way", line);
    lkt_bulks[lkt_bulk_count++] = {lkt_bulk::arrival, &b, lkt_ptx_thread()};
#endif
}
/* Barrier `n` of a block, for `of` threads; 0: for all. */
LKT_QUIET void lkt_bar_numbered(unsigned n, unsigned of, bool waits, int line) {
    if (n > 15) lkt_fail("a barrier's number is not 0 to 15", line);
    unsigned const all = blockDim.x * blockDim.y * blockDim.z;
    if (of == 0) of = (all + 31) / 32 * 32;
    if (of % 32 != 0) lkt_fail("a barrier waits for a number of threads that is no multiple of 32", line);
    auto& b = lkt_numbered[n];
    if (b.came == 0) b.of = of;
    if (b.of != of) lkt_fail("threads come to one barrier with different numbers of threads", line);
    unsigned const phase = b.phase;
    lkt_note(&b, lkt_arrives, lkt_meets, LKT_CALLER);
    /* The lanes that the last warp lacks are there. */
    if (++b.came == of || (b.came == all && of > all)) {
        b.came = 0, ++b.phase;
        lkt_note(&b, lkt_completes, lkt_meets, LKT_CALLER);
        lkt_happened();
    }
    while (waits && b.phase == phase) lkt_idle(of - b.came, 2, line);
    if (waits) lkt_note(&b, lkt_waited, lkt_meets, LKT_CALLER);
}
)lkt";

/// Copies of whole pieces, tiles of tensor maps. Where races are looked for, a copy into shared
/// memory lands at once; else, and all others, when somebody waits for it.
inline constexpr std::string_view shim_bulks = R"lkt(
/* What the worker makes of a tensor map; the last dimension comes first. */
struct lkt_map {
    char const* data;
    unsigned long long extent[5], stride[4];
    unsigned short box[5], rank, bytes, swizzle;
};
__attribute__((no_sanitize("thread"))) inline void lkt_put(char* to, char const* from, void const* code) {
    lkt_note(to, 16, 1 | lkt_beside, code);
    __builtin_memcpy(to, from, 16);
}
__attribute__((no_sanitize("thread"))) inline void lkt_land_tile(lkt_bulk const& c, void const* code) {
    lkt_map const& m = *(lkt_map const*)c.from;
    static thread_local char row[4096];
    unsigned const bytes = m.box[0] * m.bytes, mask = m.swizzle / 16 - (m.swizzle != 0);
    unsigned rows = 1;
    for (unsigned d = 1; d < m.rank; ++d) rows *= m.box[d];
    for (unsigned r = 0; r < rows; ++r) {
        bool there = true;
        char const* from = m.data;
        unsigned rest = r;
        for (unsigned d = 1; d < m.rank; ++d) {
            long long const x = (long long)c.at[d] + rest % m.box[d];
            rest /= m.box[d];
            there = there && x >= 0 && x < (long long)m.extent[d];
            from += x * (long long)m.stride[d - 1];
        }
        long long const first = c.at[0] < 0 ? -(long long)c.at[0] : 0, left = (long long)m.extent[0] - c.at[0];
        long long const last = left < m.box[0] ? left : m.box[0];
        __builtin_memset(row, 0, bytes);
        if (there && first < last) {
            char const* const begin = from + (c.at[0] + first) * m.bytes;
            lkt_note(begin, (unsigned)(last - first) * m.bytes, lkt_beside, code);
            __builtin_memcpy(row + first * m.bytes, begin, (last - first) * m.bytes);
        }
        for (unsigned k = 0; k < bytes; k += 16) {
            size_t const to = (size_t)c.to + r * bytes + k;
            lkt_put((char*)(to ^ ((to >> 7 & mask) << 4)), row + k, code);
        }
    }
}
__attribute__((no_sanitize("thread"))) inline void lkt_land_bulk(lkt_bulk const& c, int line, void const* code) {
    if (c.kind == lkt_bulk::tile) return lkt_land_tile(c, code);
    for (unsigned k = 0; k < c.size; k += 16) {
        lkt_note(c.from + k, 16, lkt_beside, code);
        lkt_put(c.to + k, c.from + k, code);
    }
}
__attribute__((noinline, no_sanitize("address"), no_sanitize("thread"))) char lkt_peek(char const volatile* p) { return *p; }
/* Touches the ends of what a copy is to write: what is out of bounds is so in this line. */
__attribute__((no_sanitize("thread"))) inline void lkt_reaches(char* to, unsigned size) {
    for (char volatile* const p : {(char volatile*)to, (char volatile*)to + size - 1}) *p = lkt_peek(p);
}
LKT_QUIET void lkt_start_bulk(lkt_bulk const& c, int line, void const* code) {
#if defined(LKT_RACES)
    if (c.bar != nullptr) {
        lkt_land_bulk(c, line, code);
        lkt_note(c.bar->at, lkt_arrives, lkt_meets, code);
        lkt_bar_bytes(*c.bar, -(long long)c.size, line);
        return lkt_bar_completes(*c.bar, code);
    }
#endif
    if (lkt_bulk_count == 512) lkt_fail("more than 512 copies are under way", line);
    lkt_bulks[lkt_bulk_count++] = c;
}
inline void lkt_check_bulk(char const* to, char const* from, unsigned size, int line) {
    if ((size_t)to % 16 != 0 || (size_t)from % 16 != 0) lkt_fail("an address of a bulk copy is no multiple of 16", line);
    if (size % 16 != 0) lkt_fail("the size of a bulk copy is no multiple of 16", line);
}
LKT_QUIET void lkt_bulk_in(char* to, char const* from, unsigned size, char* bar, int line) {
    lkt_check_bulk(to, from, size, line);
    lkt_bar& b = lkt_bar_at(bar, line, LKT_CALLER);
    if (size == 0) return;
#if !defined(LKT_RACES)
    lkt_reaches(to, size);
#endif
    lkt_start_bulk({lkt_bulk::plain, &b, lkt_ptx_thread(), 0, size, to, from}, line, LKT_CALLER);
}
LKT_QUIET void lkt_bulk_out(char* to, char const* from, unsigned size, int line) {
    lkt_check_bulk(to, from, size, line);
    unsigned const me = lkt_ptx_thread();
    if (size != 0) lkt_start_bulk({lkt_bulk::plain, nullptr, me, lkt_bulk_groups[me], size, to, from}, line, LKT_CALLER);
}
LKT_QUIET void lkt_bulk_tile(char* to, void const* map, char* bar, int const (&at)[5], unsigned rank, int line) {
    lkt_map const& m = *(lkt_map const*)map;
    if (m.rank == 0) lkt_fail("the condition of a tensor map is false, so there is none", line);
    if (m.rank != rank) lkt_fail("a copy of a tile has another number of dimensions than its tensor map", line);
    if ((size_t)to % 128 != 0) lkt_fail("the address of a tile in shared memory is no multiple of 128", line);
    lkt_bar& b = lkt_bar_at(bar, line, LKT_CALLER);
    unsigned size = m.bytes;
    for (unsigned d = 0; d < rank; ++d) size *= m.box[d];
#if !defined(LKT_RACES)
    lkt_reaches(to, size);
#endif
    lkt_start_bulk({lkt_bulk::tile, &b, lkt_ptx_thread(), 0, size, to, (char const*)map, {at[0], at[1], at[2], at[3], at[4]}}, line, LKT_CALLER);
}
inline void lkt_bulk_commit() { ++lkt_bulk_groups[lkt_ptx_thread()]; }
LKT_QUIET void lkt_bulk_wait(unsigned but, int line) {
    unsigned const me = lkt_ptx_thread();
    for (unsigned k = 0; k < lkt_bulk_count;) {
        lkt_bulk const& c = lkt_bulks[k];
        if (c.bar == nullptr && c.thread == me && c.group + but < lkt_bulk_groups[me]) lkt_land_bulk(lkt_take_bulk(k), line, LKT_CALLER);
        else ++k;
    }
}
inline void lkt_proxy_fence() {
#if defined(LKT_RACES)
    lkt_accessed(nullptr, lkt_proxy, lkt_meets, nullptr);
#endif
}
inline void lkt_begin_async(char* dynamic, unsigned size) {
    if (size != 0) lkt_know_shared(dynamic, size);
    __builtin_memset(lkt_bars, 0, sizeof lkt_bars);
    __builtin_memset(lkt_numbered, 0, sizeof lkt_numbered);
    lkt_bulk_count = 0;
#if defined(LKT_WGMMA)
    lkt_begin_products();
#endif
}
)lkt";

} // namespace lkt::host_detail
