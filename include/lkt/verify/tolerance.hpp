// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/kernel/value_type.hpp>

#include <cmath>
#include <cstddef>
#include <string>

namespace lkt {

/// Mean of |x| over the finite lanes; 0 without any. The scale of an output: a sum that happens to
/// cancel to nearly 0 has the rounding error of its neighbours, not of its own value. The mean
/// rather than the maximum, so that one huge element does not excuse all the others.
[[nodiscard]] inline double mean_magnitude(argument_data const& data) {
    double sum = 0;
    std::size_t finite = 0;
    for (std::size_t k = 0; k < data.lanes(); ++k) {
        double const magnitude = std::fabs(lane_as_double(data, k));
        if (!std::isfinite(magnitude)) continue;
        ++finite;
        // A running mean cannot overflow.
        sum += (magnitude - sum) / static_cast<double>(finite);
    }
    return sum;
}

/// The bound for an output of type `t` whose scale is `scale`. Integers and booleans are exact.
///
/// The bound lies between two errors. From below: a sum of K products in type t, whose order a
/// rewrite may change, is off by about 0.3 u sqrt(K) of the outputs' scale, u being t's unit
/// roundoff, and by six times that in the worst of many outputs: for float32 at K = 4096 that is
/// 1e-5. From above: computing in the next narrower type is off by its u (2^-11 for float16 and
/// tf32, 2^-24 for float32) in single elements. docs/verification.md has the figures.
[[nodiscard]] inline tolerance default_tolerance(scalar_type t, double scale) {
    switch (t) {
    case scalar_type::float64: // float32 errs by up to 2^-24
        return {0x1p-40, 0x1p-36 * scale};
    case scalar_type::float32: // float16 and tf32 err by up to 2^-11
        return {0x1p-16, 0x1p-13 * scale};
    case scalar_type::float16: // two steps of the result, and sums in half; fp8 errs by 2^-4
        return {0x1p-9, 0x1p-8 * scale};
    case scalar_type::bfloat16:
        return {0x1p-6, 0x1p-6 * scale};
    case scalar_type::boolean:
    case scalar_type::int8:
    case scalar_type::uint8:
    case scalar_type::int16:
    case scalar_type::uint16:
    case scalar_type::int32:
    case scalar_type::uint32:
    case scalar_type::int64:
    case scalar_type::uint64:
        break;
    }
    return {0, 0};
}

/// The bound for argument number `k`: the user's own where there is one, else by its type and by
/// the scale of what is expected. Errors: a user's bound that is negative or not a number.
[[nodiscard]] inline result<tolerance>
tolerance_for(problem const& task, std::size_t k, argument_data const& expected) {
    if (auto const& own = task.arguments[k].bound) {
        if (own->relative >= 0 && own->absolute >= 0) return *own; // false for NaN
        return error{condition::rejected,
                     "lkt.verify.tolerance",
                     "the tolerance of output `" + task.signature.arguments[k].name +
                         "` is negative or not a number",
                     "Give a relative and an absolute bound that are 0 or above."};
    }
    scalar_type const t = expected.type.scalar;
    return default_tolerance(t, is_floating(t) ? mean_magnitude(expected) : 0);
}

/// Whether `got` may stand for `expected`: NaN for NaN, an infinity for the same infinity, else
/// within the bound.
[[nodiscard]] inline bool within(tolerance bound, double expected, double got) {
    if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
    if (std::isinf(expected) || std::isinf(got)) return expected == got;
    return std::fabs(got - expected) <= bound.absolute + bound.relative * std::fabs(expected);
}

} // namespace lkt
