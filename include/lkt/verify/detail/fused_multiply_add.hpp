// SPDX-License-Identifier: BSL-1.0
// Numbers that are the same on every machine are computed with std::fma, which programs for any
// x86-64 call the C library for; nearly all processors have an instruction.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__FMA__)
#define LKT_HAS_FMA_VARIANT 1
#else
#define LKT_HAS_FMA_VARIANT 0
#endif

namespace lkt::detail {

#if defined(__x86_64__) && defined(__GNUC__)
/// With AVX2, which every processor with FMA has, but for emulated ones.
[[nodiscard]] inline bool processor_has_fma() {
    static bool const has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return has;
}
#endif

#if LKT_HAS_FMA_VARIANT

/// `f`, inlined and compiled for processors with AVX2 and FMA.
template <class F>
[[gnu::target("avx2,fma"), gnu::flatten]] void call_for_fma(F const& f) noexcept {
    f();
}

/// Calls `f`, in which `std::fma` is an instruction where the processor has one. Nothing but the
/// time changes as long as `f` writes no `a * b + c` whose product rounds.
template <class F>
void with_fused_multiply_add(F const& f) noexcept {
    if (processor_has_fma())
        call_for_fma(f);
    else
        f();
}

#else

template <class F>
void with_fused_multiply_add(F const& f) noexcept {
    f();
}

#endif

} // namespace lkt::detail

#undef LKT_HAS_FMA_VARIANT
