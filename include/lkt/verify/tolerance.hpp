// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/kernel/value_type.hpp>
#include <lkt/verify/test_generator.hpp>

#include <cstddef>
#include <limits>

namespace lkt {

/// Mean of |x| over the finite lanes; 0 without any. The scale of an output: a sum that happens to
/// cancel to nearly 0 has the rounding error of its neighbours, not of its own value. The mean
/// rather than the maximum, so that one huge element does not excuse all the others.
[[nodiscard]] double mean_magnitude(argument_data const& data);

/// The largest magnitude of its finite lanes; 0 where there are none.
[[nodiscard]] double largest_magnitude(argument_data const& data);

namespace detail {
/// The same on so many threads; the sums are those of fixed chunks, so the result is the same too.
[[nodiscard]] double mean_on_threads(unsigned threads, argument_data const& data);
} // namespace detail

/// The bound for an output of type `t` whose scale is `scale`. Integers and booleans are exact.
///
/// The bound is between two errors. From below: a sum of K products in type t, whose order a
/// rewrite may change, is off by about 0.3 u sqrt(K) of the outputs' scale, u being t's unit
/// roundoff, and by six times that in the worst of many outputs: for float32 at K = 4096 that is
/// 1e-5. From above: computing in the next narrower type is off by its u (2^-11 for float16 and
/// tf32, 2^-24 for float32) in single elements. A scale below the smallest normal number counts as
/// that, since digits are lost there. docs/verification-methods.md has the figures.
[[nodiscard]] tolerance default_tolerance(scalar_type t, double scale);

/// The bound for argument number `k`: the user's own where there is one, else by its type and by
/// the scale of what is expected. Errors: a user's bound that is negative, infinite or not a
/// number.
[[nodiscard]] result<tolerance>
tolerance_for(problem const& task, std::size_t k, argument_data const& expected);

/// Bounds on the errors of all elements together, as parts of the root mean square of what is
/// expected. Rounding errors of many elements cancel, and their mean square is known well, so these
/// see what is too small for the bound of a single element: inputs rounded to another type,
/// truncation, a share of the terms left out.
struct error_limits {
    double rms = std::numeric_limits<double>::infinity(); ///< of the errors
    double bias =
        std::numeric_limits<double>::infinity(); ///< of their mean, and of a common factor
    /// Whether elements that are expected to be NaN or infinite are judged at all.
    bool nonfinite = false;

    [[nodiscard]] bool any() const { return rms < std::numeric_limits<double>::infinity(); }
    friend bool operator==(error_limits, error_limits) = default;
};

/// How an output is judged: element by element, and as a whole.
struct output_bounds {
    tolerance element;
    error_limits whole;
    friend bool operator==(output_bounds const&, output_bounds const&) = default;
};

/// Those of an output of type `t`, whose elements are sums of some thousands of terms at most.
[[nodiscard]] error_limits default_limits(scalar_type t);

/// How many terms an element of an output with `elements` elements may be a sum of, as far as sizes
/// tell: the inputs that there are for each, or the largest extent where the output does not have
/// all of them. 1 where they do not tell.
[[nodiscard]] double reduction_length(problem const& task, test_case const& test, double elements);

namespace detail {
/// What another order of multiplications may lose where products underflow on the way: a step of
/// the smallest numbers, times as much as the largest input makes of it. 0 for narrow types, which
/// kernels compute in a wider one.
[[nodiscard]] double underflow_inside(problem const& task, test_case const& test, scalar_type t);
} // namespace detail

/// By how much default bounds widen for sums of so many terms: 1 up to 2^14, then as its root.
[[nodiscard]] double growth_of_bounds(double terms);

/// How argument number `k` is judged on a test: only by the user's bound, if there is one; by
/// default by its type, the scale of the expected values, the length of its sums and the properties
/// of the problem. An argument that is scratch is not judged. Errors: a user's bound that is
/// negative or not a number.
[[nodiscard]] result<output_bounds> bounds_for(problem const& task,
                                               std::size_t k,
                                               test_case const& test,
                                               argument_data const& expected);

/// Whether `got` is accepted for `expected`: NaN for NaN, an infinity for the same infinity, else
/// within the bound.
[[nodiscard]] bool within(tolerance bound, double expected, double got);

} // namespace lkt
