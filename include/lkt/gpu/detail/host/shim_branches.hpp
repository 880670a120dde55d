// SPDX-License-Identifier: BSL-1.0
// The text that a CUDA kernel is compiled behind, part 6: what -fsanitize-coverage calls.
#pragma once

#include <string_view>

namespace lkt::host_detail {

/// The numbers are those of `operand_type`.
inline constexpr std::string_view shim_branches = R"lkt(
#if defined(__clang__)
#define LKT_BARE __attribute__((noinline, no_sanitize("coverage")))
#else
#define LKT_BARE __attribute__((noinline, no_sanitize_coverage))
#endif
#define LKT_TELL(type, a, b)                                                                      \
    if (lkt_host.compare != nullptr) lkt_host.compare(type, a, b, __builtin_return_address(0))
#define LKT_HOOK(name, ...)                                                                       \
    extern "C" void lkt_hook_##name(__VA_ARGS__) __asm__("__sanitizer_cov_trace_" #name);         \
    extern "C" LKT_BARE void lkt_hook_##name(__VA_ARGS__)
LKT_HOOK(pc, ) { LKT_TELL(0, 0, 0); }
#define LKT_COMPARED(n, T, type)                                                                  \
    LKT_HOOK(cmp##n, T a, T b) { LKT_TELL(type, a, b); }                                          \
    LKT_HOOK(const_cmp##n, T a, T b) { LKT_TELL(type, a, b); }
LKT_COMPARED(1, unsigned char, 1)
LKT_COMPARED(2, unsigned short, 2)
LKT_COMPARED(4, unsigned, 3)
LKT_COMPARED(8, unsigned long, 4)
LKT_HOOK(cmpf, float a, float b) {
    LKT_TELL(5, __builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b));
}
LKT_HOOK(cmpd, double a, double b) {
    LKT_TELL(6, __builtin_bit_cast(unsigned long, a), __builtin_bit_cast(unsigned long, b));
}
/* cases[0] of them follow the width in bits */
LKT_HOOK(switch, unsigned long v, unsigned long const* cases) {
    for (unsigned long k = 0; k < cases[0] && k < 64; ++k)
        LKT_TELL(cases[1] <= 8 ? 1 : cases[1] <= 16 ? 2 : cases[1] <= 32 ? 3 : 4, v, cases[2 + k]);
}
#undef LKT_COMPARED
#undef LKT_HOOK
#undef LKT_TELL
)lkt";

} // namespace lkt::host_detail
