// SPDX-License-Identifier: BSL-1.0
// The text that a CUDA kernel is compiled behind, part 12: products of a warpgroup.
#pragma once

#include <string_view>

namespace lkt::host_detail {

/// `wgmma`. A product reads its matrices and writes its sums when the first of the warpgroup's
/// threads waits for it, once all 128 have begun it.
inline constexpr std::string_view shim_wgmma = R"lkt(
struct lkt_product {
    unsigned long long a, b; /* descriptors; of `a` only where it is in memory */
    unsigned n, came;
    int sign;
    bool from_registers, across_a, across_b, adds;
    void (*run)(lkt_product&, int line, void const* code);
    unsigned parts[128][4];
    void** sums[128]; /* places of a thread's sums; one where they lie together */
    void* first[128];
};
static thread_local struct { lkt_product ring[32]; unsigned done; } lkt_groups[8];
static thread_local struct { unsigned begun, groups, upto[8]; bool fenced; } lkt_products_of[1024];
static thread_local void* lkt_apart[1 << 16];
static thread_local unsigned lkt_apart_count, lkt_under_way; /* threads in products */
inline void lkt_begin_products() {
    for (auto& g : lkt_groups) {
        g.done = 0;
        for (auto& p : g.ring) p.came = 0;
    }
    for (auto& t : lkt_products_of) t.begun = t.groups = 0, t.fenced = false;
    lkt_apart_count = lkt_under_way = 0;
}
/* 32 bytes of each row of a matrix in shared memory, as floats; bits 62 and 63 of a descriptor say
   in pieces of how many bytes a row lies. `across`: the other dimension is the contiguous one. */
template <class E> __attribute__((no_sanitize("thread"))) inline void
lkt_read_matrix(float* to, unsigned long long d, unsigned rows, bool across, int line, void const* code) {
    constexpr unsigned n = 4 * E::each, K = 2 * n; /* elements of 16 bytes; of a row */
    unsigned const start = (unsigned)(d & 0x3fff) << 4, by = (unsigned)(d >> 16 & 0x3fff) << 4, step = (unsigned)(d >> 32 & 0x3fff) << 4;
    unsigned const mode = (unsigned)(d >> 62), wide = mode == 0 ? 16 : mode == 1 ? 128 : mode == 2 ? 64 : 32, mask = wide / 16 - 1;
    if ((d >> 49 & 7) != 0) lkt_fail("a matrix descriptor has a base offset, which the CPU does not know", line);
    char* const begin = lkt_place_of(start);
    if (begin == nullptr) lkt_fail("a matrix descriptor's address is not in shared memory", line);
    unsigned const lines = across ? K : rows, parts = across ? rows / n : 2;
    for (unsigned r = 0; r < lines; ++r)
        for (unsigned c = 0; c < parts; ++c) {
            unsigned const at = !across        ? r / 8 * step + r % 8 * wide + (mode == 0 ? c * by : c * 16)
                                : mode == 0    ? c * step + r % 8 * 16 + r / 8 * by
                                               : c % (wide / 16) * 16 + c / (wide / 16) * by + r % 8 * wide + r / 8 * step;
            size_t const place = (size_t)begin + at;
            auto const* const p = (unsigned const*)(place ^ ((place >> 7 & mask) << 4));
            lkt_note(p, 16, lkt_beside, code);
            for (unsigned k = 0; k < n; ++k) {
                float const v = (float)E::of(p[k / E::each], (int)(k % E::each));
                if (across) to[(c * n + k) * K + r] = v;
                else to[r * K + c * n + k] = v;
            }
        }
}
template <int K> __attribute__((noinline, optimize("O3"), no_sanitize("address"), no_sanitize("undefined"), no_sanitize("thread")))
void lkt_multiply(double* sums, float const* a, float const* b, int n) {
    static thread_local double across[K * 256];
    for (int j = 0; j < n; ++j)
        for (int k = 0; k < K; ++k) across[k * 256 + j] = b[j * K + k];
    for (int i = 0; i < 64; ++i) {
        double* const row = sums + i * 256;
        for (int j = 0; j < n; ++j) row[j] = 0;
        for (int k = 0; k < K; ++k) {
            double const x = a[i * K + k];
            double const* const y = across + k * 256;
            for (int j = 0; j < n; ++j) row[j] += x * y[j];
        }
    }
}
template <class C> struct lkt_product_in {
    static constexpr int each = 1;
    static void add(void* to, double const* s, bool adds) { *(C*)to = (C)(s[0] + (adds ? (double)*(C*)to : 0)); }
};
template <> struct lkt_product_in<int> {
    static constexpr int each = 1;
    static void add(void* to, double const* s, bool adds) {
        *(int*)to = (int)((unsigned)(long long)s[0] + (adds ? *(unsigned*)to : 0));
    }
};
template <> struct lkt_product_in<__half2> {
    static constexpr int each = 2;
    static void add(void* to, double const* s, bool adds) {
        __half* const h = (__half*)to;
        for (int e = 0; e < 2; ++e) h[e] = __half(s[e] + (adds ? (double)(float)h[e] : 0));
    }
};
template <class A, class B, class C> __attribute__((no_sanitize("thread"))) void lkt_run_product(lkt_product& p, int line, void const* code) {
    constexpr int K = 8 * A::each, E = lkt_product_in<C>::each;
    static thread_local float a[64 * K], b[256 * K];
    static thread_local double sums[64 * 256];
    for (unsigned t = 0; p.from_registers && t < 128; ++t)
        for (unsigned k = 0; k < 4; ++k)
            for (int e = 0; e < A::each; ++e)
                a[(t / 32 * 16 + t % 32 / 4 + k % 2 * 8) * K + (k / 2 * 4 + t % 4) * A::each + e] = (float)A::of(p.parts[t][k], e);
    if (!p.from_registers) lkt_read_matrix<A>(a, p.a, 64, p.across_a, line, code);
    lkt_read_matrix<B>(b, p.b, p.n, p.across_b, line, code);
    lkt_multiply<K>(sums, a, b, (int)p.n);
    for (unsigned t = 0; t < 128; ++t)
        for (int i = 0; i < (int)p.n / 2; i += E) {
            double s[E];
            for (int e = 0; e < E; ++e) s[e] = p.sign * sums[(t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8) * 256 + i / 4 * 8 + t % 4 * 2 + i % 2 + e];
            lkt_product_in<C>::add(p.sums[t] != nullptr ? p.sums[t][i / E] : (char*)p.first[t] + i / E * 4, s, p.adds);
        }
}
/* The products of the thread's warpgroup until so many are done. */
LKT_QUIET void lkt_finish_products(unsigned until, int line, void const* code) {
    unsigned const group = lkt_ptx_thread() / 128;
    auto& g = lkt_groups[group];
    if (g.done != 0) lkt_note(&g, lkt_waited, lkt_meets, code);
    while ((int)(until - g.done) > 0) {
        lkt_product& p = g.ring[g.done % 32];
        if (p.came != 128) {
            lkt_idle(128 - p.came, 3, line);
            if (g.done != 0) lkt_note(&g, lkt_waited, lkt_meets, code);
            continue;
        }
        p.run(p, line, code);
        p.came = 0;
        if ((lkt_under_way -= 128) == 0) lkt_apart_count = 0;
        ++g.done;
        lkt_note(&g, lkt_arrives, lkt_meets, code);
        lkt_note(&g, lkt_completes, lkt_meets, code);
        lkt_happened();
    }
}
template <class A, class B, class C, size_t D>
LKT_QUIET void lkt_wgmma(void* const (&sums)[D], unsigned n, unsigned const* parts, unsigned long long a, unsigned long long b,
                         bool adds, int sign, bool across_a, bool across_b, int line) {
    unsigned const me = lkt_ptx_thread(), group = me / 128, lane = me % 128;
    if (group * 128 + 128 > blockDim.x * blockDim.y * blockDim.z) lkt_fail("wgmma is for 128 threads, and the last ones of the block are fewer", line);
    auto& mine = lkt_products_of[me];
    if (!mine.fenced) lkt_fail("wgmma.mma_async comes before the first wgmma.fence", line);
    if (mine.begun - lkt_groups[group].done == 32) lkt_finish_products(mine.begun - 31, line, LKT_CALLER);
    lkt_product& p = lkt_groups[group].ring[mine.begun % 32];
    auto* const run = &lkt_run_product<A, B, C>;
    if (p.came == 0) p.a = a, p.b = b, p.n = n, p.sign = sign, p.from_registers = parts != nullptr, p.across_a = across_a, p.across_b = across_b, p.adds = adds, p.run = run;
    if (p.a != a || p.b != b || p.n != n || p.adds != adds || p.run != run)
        lkt_fail("the threads of a warpgroup give one wgmma different descriptors or scales", line);
    for (int k = 0; parts != nullptr && k < 4; ++k) p.parts[lane][k] = parts[k];
    bool together = true;
    for (size_t k = 1; k < D; ++k) together = together && (char*)sums[k] == (char*)sums[0] + 4 * k;
    p.first[lane] = sums[0];
    p.sums[lane] = together ? nullptr : lkt_apart + lkt_apart_count;
    if (!together && lkt_apart_count + D > 1 << 16) lkt_fail("the sums of wgmma are too many variables for the CPU: put them into an array", line);
    for (size_t k = 0; !together && k < D; ++k) lkt_apart[lkt_apart_count++] = sums[k];
    ++mine.begun, ++p.came, ++lkt_under_way;
}
inline void lkt_wgmma_fence() { lkt_products_of[lkt_ptx_thread()].fenced = true; }
inline void lkt_wgmma_commit() {
    auto& mine = lkt_products_of[lkt_ptx_thread()];
    mine.upto[mine.groups++ % 8] = mine.begun;
}
LKT_QUIET void lkt_wgmma_wait(unsigned but, int line) {
    auto& mine = lkt_products_of[lkt_ptx_thread()];
    if (but > 7) lkt_fail("wgmma.wait_group waits for all but 0 to 7 groups", line);
    if (mine.groups > but) lkt_finish_products(mine.upto[(mine.groups - but - 1) % 8], line, LKT_CALLER);
}
)lkt";

} // namespace lkt::host_detail
