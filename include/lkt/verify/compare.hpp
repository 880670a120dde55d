// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/output_error.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/pattern.hpp>
#include <lkt/verify/tolerance.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace lkt {

/// How an output differs from the expected one. Elements are values (a float4 is one).
struct mismatch {
    element_set wrong;                  ///< each element, marked where it differs too much
    std::uint64_t count = 0;            ///< of the marked ones
    std::uint64_t first = 0, worst = 0; ///< the worst has the largest error; NaN counts as infinite
    double worst_error = 0;             ///< |got - expected| there
    /// The defect of all errors together, or a comparator's message; empty if the marked elements
    /// break their bound.
    std::string whole{};
    /// What the worst may be off by, where that is not the bound of its output.
    std::optional<double> allowed{};

    [[nodiscard]] bool few() const { return count * 64 <= wrong.size(); }
};

/// A user's own comparison of one output: the defect, or nothing.
using output_comparator = std::function<std::optional<std::string>(
    test_case const& test, argument_data const& expected, argument_data const& got)>;

/// The errors of an output whose elements are finite where they should be.
struct error_figures {
    double scale = 0;            ///< root mean square of what is expected
    double rms = 0;              ///< of the errors, in parts of the scale
    double mean = 0, factor = 0; ///< their mean in parts of the scale; got = (1 + factor) expected
    std::uint64_t lanes = 0;     ///< that are finite on both sides
    double spread = 0;           ///< standard deviation of what is expected, in parts of the scale
};
/// `expected`: of the type of `got`, or float64.
[[nodiscard]] error_figures figures_of(argument_data const& expected, argument_data const& got);

/// The largest and the mean distance of values that are finite on both sides.
[[nodiscard]] output_error distances_of(argument_data const& expected, argument_data const& got);

/// Compares every element, NaN and infinities too; nothing where all of them are right. Both have
/// the same type and size.
[[nodiscard]] std::optional<mismatch>
find_mismatch(argument_data const& expected, argument_data const& got, tolerance bound);

/// Whether an output is wrong by all that it is judged by: the bound of its elements, a share of
/// which may break it (a NaN never); where none does, its limits as a whole, if 64 different values
/// are expected, and they vary. Elements that are expected to be NaN or infinite are left out
/// unless the limits say that they are judged.
[[nodiscard]] std::optional<mismatch> judge_output(argument_data const& expected,
                                                   argument_data const& got,
                                                   tolerance bound,
                                                   error_limits const& limits);

namespace detail {
/// What breaks a limit of all errors together, in parts of the scale.
struct whole_error {
    bool by_rms = false; ///< the root mean square; else the mean, in one direction
    double size = 0;
};
/// Nothing where they keep the limits, where they are too few or too dependent to be judged
/// together, and where the mean is what errors without a common direction may have. `f`: their
/// figures.
[[nodiscard]] std::optional<whole_error>
error_as_a_whole(argument_data const& expected, error_figures const& f, error_limits const& limits);
/// The same on so many threads.
[[nodiscard]] std::optional<mismatch> mismatch_on_threads(unsigned threads,
                                                          argument_data const& expected,
                                                          argument_data const& got,
                                                          tolerance bound,
                                                          bool nonfinite = true);
/// Whether `find_mismatch` would find one, at less cost.
[[nodiscard]] bool
differs(argument_data const& expected, argument_data const& got, tolerance bound);
} // namespace detail

/// The failure that a mismatch amounts to: first wrong element, how many, where they lie, what
/// they have in common, and the worst one.
[[nodiscard]] wrong_output describe_mismatch(mismatch const& m,
                                             argument_data const& expected,
                                             argument_data const& got,
                                             tolerance bound,
                                             problem_size const& size);

} // namespace lkt
