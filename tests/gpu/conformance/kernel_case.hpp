// SPDX-License-Identifier: BSL-1.0
// What a back end has to compute: a kernel in each language, its arguments, and the outputs of a
// reference that was written independently of both texts.
#pragma once

#include "../support.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace conformance {

/// A kernel's text, or why there is none.
struct text_or_reason {
    std::string text{};
    std::string why_not{};
};
inline text_or_reason not_in_wgsl(std::string why) { return {{}, std::move(why)}; }

/// One output of a right kernel.
struct expectation {
    lkt::argument_data data;
    double within = 0; ///< of floats: |difference| over the larger of the two numbers and 1
    std::size_t may_differ = 0; ///< values that need not be right: borderline cases
};
template <class T>
expectation exactly(std::vector<T> const& v, unsigned lanes = 1) {
    return {lkt::make_buffer({support::scalar_of<T>(), lanes}, std::span<T const>{v}), 0, 0};
}
template <class T>
expectation nearly(std::vector<T> const& v, double within, unsigned lanes = 1) {
    return {lkt::make_buffer({support::scalar_of<T>(), lanes}, std::span<T const>{v}), within, 0};
}

/// One problem. Argument k is the k-th parameter in CUDA. In WGSL a buffer is a binding of its own,
/// neighbouring values are the members of one uniform, and bindings are numbered in that order.
struct kernel_case {
    std::string cuda;
    text_or_reason wgsl;
    lkt::dim3 grid{}, block{};
    std::vector<support::passed> arguments{};
    std::vector<expectation> expected{}; ///< of the arguments that are not `in`, in order
    std::uint32_t shared = 0;            ///< in CUDA; WGSL declares what it takes
    lkt::configuration definitions{};
    std::string name{}; ///< in CUDA, where the text alone does not say it
    std::vector<std::string> template_parameters{};
};

/// What the executable does with each case: on one back end against the reference, or on two
/// against each other.
void judge(kernel_case const& k);

/// Nothing when `got` is what was expected, else what is wrong.
std::string difference(expectation const& expected, lkt::argument_data const& got);

support::trial trial_of(kernel_case const& k, lkt::language language);

inline unsigned blocks(std::size_t n, unsigned block) {
    return static_cast<unsigned>((n + block - 1) / block);
}
/// For subscripts of ints.
inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

inline constexpr int n1 = 1000; // no multiple of a warp or a block

} // namespace conformance
