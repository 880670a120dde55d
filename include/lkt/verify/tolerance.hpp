// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/kernel/value_type.hpp>

#include <cstddef>

namespace lkt {

/// Mean of |x| over the finite lanes; 0 without any. The scale of an output: a sum that happens to
/// cancel to nearly 0 has the rounding error of its neighbours, not of its own value. The mean
/// rather than the maximum, so that one huge element does not excuse all the others.
[[nodiscard]] double mean_magnitude(argument_data const& data);

namespace detail {
/// The same on so many threads; the sums are those of fixed chunks, so the result is the same too.
[[nodiscard]] double mean_on_threads(unsigned threads, argument_data const& data);
} // namespace detail

/// The bound for an output of type `t` whose scale is `scale`. Integers and booleans are exact.
///
/// The bound lies between two errors. From below: a sum of K products in type t, whose order a
/// rewrite may change, is off by about 0.3 u sqrt(K) of the outputs' scale, u being t's unit
/// roundoff, and by six times that in the worst of many outputs: for float32 at K = 4096 that is
/// 1e-5. From above: computing in the next narrower type is off by its u (2^-11 for float16 and
/// tf32, 2^-24 for float32) in single elements. docs/verification.md has the figures.
[[nodiscard]] tolerance default_tolerance(scalar_type t, double scale);

/// The bound for argument number `k`: the user's own where there is one, else by its type and by
/// the scale of what is expected. Errors: a user's bound that is negative or not a number.
[[nodiscard]] result<tolerance>
tolerance_for(problem const& task, std::size_t k, argument_data const& expected);

/// Whether `got` may stand for `expected`: NaN for NaN, an infinity for the same infinity, else
/// within the bound.
[[nodiscard]] bool within(tolerance bound, double expected, double got);

} // namespace lkt
