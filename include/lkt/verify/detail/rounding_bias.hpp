// SPDX-License-Identifier: BSL-1.0
// Whether results of 16 bits were rounded to the nearest, or cut off.
#pragma once

#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/value_type.hpp>
#include <lkt/verify/detail/drawing.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/suite.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>

namespace lkt::detail {

/// Errors of a float16 or bfloat16 output beside exact values, in units in the last place of the
/// exact value. Lanes whose exact value the type has, or nearly so, count for nothing: no rounding
/// shows there. An error beyond a unit counts as one unit.
struct rounding_bias {
    double upwards = 0;   ///< mean error: rounding up and rounding down differ in its sign
    double away = 0;      ///< the same, away from 0 counting as positive: below 0 if cut off
    double magnitude = 0; ///< mean of |error|: a quarter where each is rounded to the nearest
    double chance = 0;    ///< standard error of the two means
    std::uint64_t lanes = 0;

    [[nodiscard]] double size() const { return std::max(std::fabs(upwards), std::fabs(away)); }
};

/// Whether an output of that type is judged by the direction of its rounding. Floats of 8 bits have
/// bounds that see it.
[[nodiscard]] constexpr bool has_rounding_bias(scalar_type t) {
    return t == scalar_type::float16 || t == scalar_type::bfloat16;
}

/// Of a type with `has_rounding_bias`. `value(lane)` is what an output has there.
template <class Value>
[[nodiscard]] rounding_bias
rounding_bias_of(scalar_type t, argument_data const& exact, Value const& value) {
    constexpr double clear = 0x1p-5;  // of a unit, between an exact value and those of the type
    constexpr std::size_t parts = 32; // elements of a row may err alike, those of a part do
    int const digits = t == scalar_type::float16 ? 11 : 8;
    double const least = smallest_normal(t), most = largest_finite(t);
    struct sums {
        double upwards = 0, away = 0, magnitude = 0;
        std::uint64_t lanes = 0;
    };
    std::array<sums, parts> all{};
    std::size_t const lanes = exact.lanes();
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        double const x = exact.lane<double>(lane), far = std::fabs(x);
        if (!(far >= least && far <= most)) continue;
        double const unit = std::ldexp(1.0, std::ilogb(far) - digits + 1);
        double const rest = std::fmod(far / unit, 1);
        double const error = (value(lane) - x) / unit;
        if (rest < clear || rest > 1 - clear || std::isnan(error)) continue;
        double const e = std::clamp(error, -1.0, 1.0);
        sums& part = all[lane * parts / lanes];
        part.upwards += e;
        part.away += x < 0 ? -e : e;
        part.magnitude += std::fabs(e);
        ++part.lanes;
    }
    rounding_bias b;
    for (sums const& part : all) {
        b.upwards += part.upwards;
        b.away += part.away;
        b.magnitude += part.magnitude;
        b.lanes += part.lanes;
    }
    if (b.lanes == 0) return b;
    auto const n = static_cast<double>(b.lanes);
    b.upwards /= n, b.away /= n, b.magnitude /= n;
    double squares = 0; // how far the parts' sums are from those of the mean
    for (sums const& part : all) {
        auto const of = static_cast<double>(part.lanes);
        double const up = part.upwards - b.upwards * of, away = part.away - b.away * of;
        squares += std::max(up * up, away * away);
    }
    b.chance = std::sqrt(squares) / n;
    return b;
}

[[nodiscard]] inline rounding_bias rounding_bias_of(argument_data const& exact,
                                                    argument_data const& narrow) {
    return rounding_bias_of(
        narrow.type.scalar, exact, [&](std::size_t lane) { return lane_as_double(narrow, lane); });
}

/// By how many units an output errs in one direction, where that is more than the mean size of the
/// original's errors, which no output exceeds that is as near to the exact values, by more than
/// `allowed` and chance. Else, and where there are too few different values to tell, 0.
[[nodiscard]] inline double cut_off(argument_data const& expected,
                                    argument_data const& got,
                                    argument_data const& exact,
                                    double allowed) {
    constexpr std::size_t enough = 32; // different values
    // Rewrites that round to the nearest exceeded the rest of the limit by nothing, and those that
    // cut off by 0.1 and more: docs/verification-record.md.
    constexpr double margin = 0.05;
    rounding_bias const own = rounding_bias_of(exact, expected);
    if (own.lanes < enough) return 0;
    rounding_bias const its = rounding_bias_of(exact, got);
    if (!(its.size() > std::max(own.magnitude, 0.25) + margin + allowed + 2 * its.chance)) return 0;
    std::set<double> values;
    for (std::size_t lane = 0; lane < exact.lanes() && values.size() < enough; ++lane)
        values.insert(exact.lane<double>(lane));
    return values.size() < enough ? 0 : its.size();
}

/// Lets output `p` of a test err in one direction by `times` what it errs by where lanes are
/// `value(lane)`, what the original computes from numbers that are rounded otherwise.
template <class Value>
void allow_one_sided(prepared_test& t, std::size_t p, Value const& value, double times) {
    scalar_type const type = t.expected[p].type.scalar;
    if (!has_rounding_bias(type) || p >= t.exact.size() || t.exact[p].bytes.empty()) return;
    t.one_sided.resize(t.expected.size());
    t.one_sided[p] =
        std::max(t.one_sided[p], times * rounding_bias_of(type, t.exact[p], value).size());
}

} // namespace lkt::detail
