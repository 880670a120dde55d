// SPDX-License-Identifier: BSL-1.0
// What -fsanitize=thread calls: a text of its own, compiled once for all kernels.
#pragma once

#include <string_view>

namespace lkt::host_detail {

/// Names are given by asm labels: compilers know functions of these names, with other types.
/// Atomics may be plain here, since one thread of the system runs all. The module has `lkt_access`.
inline constexpr std::string_view race_hooks = R"lkt(
extern "C" void (*lkt_access)(void const* p, unsigned size, unsigned kind, void const* code);
#define LKT_SEE(p, size, kind)                                                                    \
    if (lkt_access != nullptr) lkt_access((void const*)(p), size, kind, __builtin_return_address(0))
#define LKT_HOOK(result, name, ...)                                                               \
    extern "C" result lkt_hook_##name(__VA_ARGS__) __asm__("__tsan_" #name);                      \
    extern "C" result lkt_hook_##name(__VA_ARGS__)
LKT_HOOK(void, init, ) {}
LKT_HOOK(void, func_entry, void*) {}
LKT_HOOK(void, func_exit, ) {}
#define LKT_SIZE(n)                                                                               \
    LKT_HOOK(void, read##n, void* p) { LKT_SEE(p, n, 0); }                                        \
    LKT_HOOK(void, write##n, void* p) { LKT_SEE(p, n, 1); }                                       \
    LKT_HOOK(void, unaligned_read##n, void* p) { LKT_SEE(p, n, 0); }                              \
    LKT_HOOK(void, unaligned_write##n, void* p) { LKT_SEE(p, n, 1); }                             \
    LKT_HOOK(void, volatile_read##n, void* p) { LKT_SEE(p, n, 4); }                               \
    LKT_HOOK(void, volatile_write##n, void* p) { LKT_SEE(p, n, 5); }                              \
    LKT_HOOK(void, unaligned_volatile_read##n, void* p) { LKT_SEE(p, n, 4); }                     \
    LKT_HOOK(void, unaligned_volatile_write##n, void* p) { LKT_SEE(p, n, 5); }
LKT_SIZE(1) LKT_SIZE(2) LKT_SIZE(4) LKT_SIZE(8) LKT_SIZE(16)
LKT_HOOK(void, read_range, void* p, unsigned long n) { LKT_SEE(p, (unsigned)n, 0); }
LKT_HOOK(void, write_range, void* p, unsigned long n) { LKT_SEE(p, (unsigned)n, 1); }
LKT_HOOK(void*, memcpy, void* to, void const* from, unsigned long n) {
    LKT_SEE(from, (unsigned)n, 0);
    LKT_SEE(to, (unsigned)n, 1);
    return __builtin_memcpy(to, from, n);
}
LKT_HOOK(void*, memmove, void* to, void const* from, unsigned long n) {
    LKT_SEE(from, (unsigned)n, 0);
    LKT_SEE(to, (unsigned)n, 1);
    return __builtin_memmove(to, from, n);
}
LKT_HOOK(void*, memset, void* to, int c, unsigned long n) {
    LKT_SEE(to, (unsigned)n, 1);
    return __builtin_memset(to, c, n);
}
LKT_HOOK(void, atomic_thread_fence, int order) { LKT_SEE(nullptr, 0, order == 5 ? 8 : 24); }
LKT_HOOK(void, atomic_signal_fence, int) {}
#define LKT_UPDATE(bits, T, name, next)                                                           \
    LKT_HOOK(T, atomic##bits##_##name, T volatile* p, T v, int) {                                 \
        LKT_SEE(p, sizeof(T), 3);                                                                 \
        T const old = *p;                                                                         \
        *p = (T)(next);                                                                           \
        return old;                                                                               \
    }
#define LKT_COMPARE(bits, T, name)                                                                \
    LKT_HOOK(int, atomic##bits##_##name, T volatile* p, T* expected, T v, int, int) {             \
        LKT_SEE(p, sizeof(T), 35);                                                                \
        T const old = *p;                                                                         \
        if (old == *expected) return *p = v, 1;                                                   \
        return *expected = old, 0;                                                                \
    }
#define LKT_ATOMICS(bits, T)                                                                      \
    LKT_HOOK(T, atomic##bits##_load, T const volatile* p, int) { LKT_SEE(p, sizeof(T), 2); return *p; } \
    LKT_HOOK(void, atomic##bits##_store, T volatile* p, T v, int) { LKT_SEE(p, sizeof(T), 3); *p = v; } \
    LKT_UPDATE(bits, T, exchange, v)                                                              \
    LKT_UPDATE(bits, T, fetch_add, old + v)                                                       \
    LKT_UPDATE(bits, T, fetch_sub, old - v)                                                       \
    LKT_UPDATE(bits, T, fetch_and, old & v)                                                       \
    LKT_UPDATE(bits, T, fetch_or, old | v)                                                        \
    LKT_UPDATE(bits, T, fetch_xor, old ^ v)                                                       \
    LKT_COMPARE(bits, T, compare_exchange_strong)                                                 \
    LKT_COMPARE(bits, T, compare_exchange_weak)                                                   \
    LKT_HOOK(T, atomic##bits##_compare_exchange_val, T volatile* p, T expected, T v, int, int) {  \
        LKT_SEE(p, sizeof(T), 35);                                                                \
        T const old = *p;                                                                         \
        if (old == expected) *p = v;                                                              \
        return old;                                                                               \
    }
LKT_ATOMICS(16, unsigned short) LKT_ATOMICS(32, unsigned) LKT_ATOMICS(64, unsigned long)
#undef LKT_ATOMICS
#undef LKT_COMPARE
#undef LKT_UPDATE
#undef LKT_SIZE
#undef LKT_HOOK
#undef LKT_SEE
)lkt";

} // namespace lkt::host_detail
