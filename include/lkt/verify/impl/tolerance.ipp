// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/tolerance.hpp>

#include <lkt/verify/detail/within.hpp>

#include <cmath>

namespace lkt {

double mean_magnitude(argument_data const& data) {
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

tolerance default_tolerance(scalar_type t, double scale) {
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

result<tolerance> tolerance_for(problem const& task, std::size_t k, argument_data const& expected) {
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

bool within(tolerance bound, double expected, double got) {
    return detail::element_within(bound, expected, got);
}

} // namespace lkt
