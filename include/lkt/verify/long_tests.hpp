// SPDX-License-Identifier: BSL-1.0
// Tests with one extent as long as may be, and rows of values that only long rows tell apart.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/test_generator.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lkt {

/// Whole sums that go through a float, an accumulator that saturates, terms that are left out since
/// each is small, indices by a rounded reciprocal: such mistakes show only where one extent is
/// long, and hardly ever at usual values. So for each extent there are tests where it is as long as
/// constraints and `elements` allow, or up to a fifth shorter, and the others are small. Each
/// stretch of that length has a pattern of its own (`detail::row_pattern`): all values at an end of
/// their domain; values that cancel but for a small rest, in halves and in groups; one value that
/// stands out; small values before large ones; hardly any values but 0, or pairs of opposite ones;
/// the largest all at equal distances. Where floats decide integers, one row of an input is also
/// what the other inputs have, and all others are a little off. None without size constraints.
struct long_tests {
    std::uint64_t seed = 1;
    std::uint64_t elements = std::uint64_t{1} << 18; ///< of all arguments of a test, about
    double work = 0x1p26;                ///< operations of the original (`counted_work`), at most
    std::size_t most = 16;               ///< tests
    bytes limit{std::uint64_t{4} << 30}; ///< memory for the arguments of one test

    /// Errors: as those of `signature_tests::generate`.
    [[nodiscard]] result<std::vector<test_case>> generate(problem const& task,
                                                          call_context const& context) const;
};

namespace detail {

/// In each row of that extent one value stands out, in the first input that has such rows; the
/// others are lower by what a sum of their exponentials still shows where there are many. Whether
/// any input has such rows.
[[nodiscard]] bool
stand_out(problem const& task, test_case& test, std::size_t extent, std::uint64_t seed);

/// One row of an input is what the other inputs have, and the others are a little off; `which` says
/// which of the inputs whose rows that extent counts: below `matching_kinds`. Whether there are
/// such rows.
[[nodiscard]] bool one_matches(problem const& task,
                               test_case& test,
                               std::size_t extent,
                               std::size_t which,
                               std::uint64_t seed);
inline constexpr std::size_t matching_kinds = 2;

} // namespace detail

} // namespace lkt
