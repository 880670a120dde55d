// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/pattern.hpp>

#include <cstdint>
#include <optional>

namespace lkt {

/// How an output differs from the expected one. Elements are values (a float4 is one).
struct mismatch {
    element_set wrong;                  ///< each element, marked where it differs too much
    std::uint64_t count = 0;            ///< of the marked ones
    std::uint64_t first = 0, worst = 0; ///< the worst has the largest error; NaN counts as infinite
    double worst_error = 0;             ///< |got - expected| there
};

/// Compares every element; nothing where all of them are right. Both have the same type and size.
[[nodiscard]] std::optional<mismatch>
find_mismatch(argument_data const& expected, argument_data const& got, tolerance bound);

namespace detail {
/// The same on so many threads.
[[nodiscard]] std::optional<mismatch> mismatch_on_threads(unsigned threads,
                                                          argument_data const& expected,
                                                          argument_data const& got,
                                                          tolerance bound);
} // namespace detail

/// The failure that a mismatch amounts to: first wrong element, how many, where they lie, what
/// they have in common, and the worst one.
[[nodiscard]] wrong_output describe_mismatch(mismatch const& m,
                                             argument_data const& expected,
                                             argument_data const& got,
                                             tolerance bound,
                                             problem_size const& size);

} // namespace lkt
