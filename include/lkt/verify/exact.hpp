// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/suite.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lkt {

/// How the original is computed in float64, to know its own error.
struct exact_options {
    /// Tests with larger arguments are left out, but for those whose extent has grown alone
    /// (`test_origin::grown_extent`); those beyond a sixteenth, too, where a launch of
    /// the original takes more than a second, or more than a tenth for over 2^27 operations
    /// (`counted_work`).
    std::size_t test_bytes = std::size_t{16} << 20;
    double margin = 8;        ///< how many times the original's own error another kernel may be off
    double max_widening = 16; ///< by how much a default bound widens for that, at most
    seconds compile_limit{60}; ///< for the original
    seconds launch_limit{60};  ///< for one launch of it
};

/// How a text computes in float64.
enum class float64_numbers : unsigned char {
    plain,   ///< exactly
    factors, ///< exactly but for factors of products that are rounded once to the type of an
             ///< argument, as tensor cores take them: `detail::float64::factor_type`
    rounded  ///< each result without a double is off by up to 2^-24, as another formula's may be
};

/// CUDA or HIP text with float64 in the place of every narrower floating type: types, literals,
/// functions and intrinsics. Nothing where it looks at the bits of numbers, or uses what has no
/// counterpart: then another text would compute something else.
[[nodiscard]] std::optional<std::string> in_float64(std::string_view text,
                                                    float64_numbers how = float64_numbers::plain);

/// The reference kernel of a problem in float64, with its signature. Nothing where its text has no
/// counterpart, where it is WGSL, or where nothing in it is narrower.
[[nodiscard]] std::optional<problem> float64_version(problem const& task,
                                                     float64_numbers how = float64_numbers::plain);

namespace detail {
/// The same numbers in float64; integers as they are.
[[nodiscard]] argument_data widened(argument_data const& data);
/// A test's arguments in float64.
[[nodiscard]] test_case widened(test_case const& test);
/// What is expected, in float64, off by as much as `other` is off the exact values, which count as
/// rounded to its type.
[[nodiscard]] argument_data
off_by(argument_data const& expected, argument_data const& other, argument_data const& exact);

[[nodiscard]] result<void> fit_bounds(gpu_ref backend,
                                      problem const& task,
                                      test_suite& suite,
                                      call_context const& context,
                                      exact_options const& options);
} // namespace detail

/// Keeps what the original's version in float64 computes on the small tests
/// (`prepared_test::exact`), measures by it how far the original itself is from exact, and widens
/// the default bounds of outputs where another kernel may be as far on the other side: up to
/// `margin` times the original's error, and by no more than `max_widening`, so that a bad original
/// does not excuse everything. That limit does not hold for tests that lkt chose
/// (`test_case::origin`), if the version agrees with the original on most outputs: an original may
/// lose all its digits on inputs that it was not written for. Of the others, one on which the
/// original, or its version, is off by more than 2^-6 of its output's scale widens nothing and
/// leaves a note. Tests that are too large get the median widening of the rest. Bounds of the
/// user's stay.
///
/// Where there is no such version, or it does not compile or run, everything stays as it is.
/// Errors: `cancelled`. Cost: one compilation, and a launch for each test.
template <gpu_backend B>
[[nodiscard]] result<void> fit_bounds(B& backend,
                                      problem const& task,
                                      test_suite& suite,
                                      call_context const& context,
                                      exact_options const& options = {}) {
    return detail::fit_bounds(gpu_ref(backend), task, suite, context, options);
}

} // namespace lkt
