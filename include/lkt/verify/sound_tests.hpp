// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/suite.hpp>
#include <lkt/verify/test_generator.hpp>

#include <cstddef>
#include <cstdint>

namespace lkt {

/// How tests are found that say nothing about a kernel.
struct soundness_options {
    std::uint64_t seed = 1; ///< of the directions, and of the poison
    /// Tests whose arguments take more are not run; they stay as they are, and so do those whose
    /// extent has grown alone, unless floats decide integers.
    std::size_t test_bytes = std::size_t{64} << 20;
    double max_widening = 16;  ///< by how much a default bound widens before elements are left out
    int probes = 32;           ///< runs beside one test, at most
    seconds probing{4};        ///< that they may take; a test that needs longer is dropped
    seconds compile_limit{60}; ///< for the original
    seconds launch_limit{60};  ///< for one launch of it
};

/// Whose last place a unit is of.
enum class unit_of : unsigned char {
    each,   ///< of each number
    largest ///< of the largest number of all arguments, for all numbers
};

/// How the numbers of a test move.
struct moving_style {
    unit_of unit = unit_of::each;
    unsigned farthest = 1;     ///< each number by 1 to as many times the units, drawn
    bool reversed = false;     ///< all in the opposite directions of those that are drawn
    bool equals_alike = false; ///< equal numbers in one direction, and as far
};

/// The test with its floating inputs moved by so many units in the last place, in drawn directions.
/// Only arguments of the widest floating type move, and none narrower than float32: a kernel
/// computes with no less, so that a unit of a narrower input is not a rounding error. Values that
/// are 0 (by units of each number), NaN or infinite or would leave their domain stay, and so do
/// inputs whose structure a kernel may rely on (a permutation, ascending values). `t` is the test's
/// number, for the directions.
[[nodiscard]] test_case moved_by_units(problem const& task,
                                       test_case const& test,
                                       std::uint32_t units,
                                       std::uint64_t seed,
                                       std::uint32_t t,
                                       moving_style how = {});

/// By how many units: one, and for sums of K terms the root of K, as rounding adds up in them.
[[nodiscard]] std::uint32_t units_to_move(problem const& task, prepared_test const& test);

namespace detail {
[[nodiscard]] result<void> keep_sound_tests(gpu_ref backend,
                                            problem const& task,
                                            test_suite& suite,
                                            call_context const& context,
                                            soundness_options const& options);

/// Bounds that the original itself can keep (16 times the default ones where sizes are swept), and
/// tests on which an honest rewrite can: `fit_bounds` with the limits of `options`, then
/// `keep_sound_tests`, then what the original rounds at inputs nearby
/// (`soundness::allow_own_rounding`).
[[nodiscard]] result<void> fit_to_original(gpu_ref backend,
                                           problem const& task,
                                           test_suite& suite,
                                           call_context const& context,
                                           soundness_options const& options);
} // namespace detail

/// Runs the original on inputs that are next to those of each test (`moved_by_units`). Where an
/// output moves by more than a quarter of what a candidate may differ, an honest rewrite may be
/// wrong:
/// - a default bound widens to four times the move (more, for sums whose length is not known), for
///   this test, and errors in one direction may be as large as others;
/// - where that is more than `max_widening` times as wide, the bound is a user's or values are
///   whole, the elements that move are not judged (`prepared_test::open`), if lkt chose the test
///   (`test_case::origin`). The original runs on further inputs until five runs in turn move no
///   other element. One note says how many elements there are;
/// - where floats decide integers (an index of the nearest, a bin, a rounded quotient), these are
///   looked for on every test, asked for or not: those that are others in float64, and those that
///   move. Runs come in pairs of opposite directions, since a decision that is near moves in one of
///   the two; inputs move by up to sixteen times as much as rounding does, in every second pair by
///   units of the largest. There are eight runs, and more until four in turn find hardly any. On a
///   test that somebody asked for, a sixteenth of an output may move, else all of it is judged;
/// - if that does not end, or more than half of an output moves, or the original fails, it is
///   ill-conditioned on the test: then the test is dropped, and one note says how many;
/// - if somebody asked for the test, or it is the first, a note says how many elements move.
///
/// Tests of the menu whose expected outputs are one constant each are dropped before.
///
/// Where all floating inputs are narrower than float32, the original's version in float64 runs, on
/// the tests of which `fit_bounds` has kept what it computes, and they move by units of float32;
/// equal numbers move alike there, so that what compares inputs alone is judged in full.
///
/// For suites whose expected outputs are the original's. Where nothing can move, the problem
/// promises compensated sums (what they lose is less than a unit of their inputs), or the original
/// does not compile, only constants are dropped. Errors: `cancelled`; what the back end returns.
/// Cost: a compilation that the back end has done before, and a launch for each test.
template <gpu_backend B>
[[nodiscard]] result<void> keep_sound_tests(B& backend,
                                            problem const& task,
                                            test_suite& suite,
                                            call_context const& context,
                                            soundness_options const& options = {}) {
    return detail::keep_sound_tests(gpu_ref(backend), task, suite, context, options);
}

} // namespace lkt
