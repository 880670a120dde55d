// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/detail/value_regime.hpp>

#include <lkt/verify/detail/chunks.hpp>
#include <lkt/verify/detail/drawing.hpp>
#include <lkt/verify/detail/fused_multiply_add.hpp>
#include <lkt/verify/detail/regime_values.hpp>
#include <lkt/verify/detail/scalars.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace lkt::detail {

namespace regimes {

/// Into the bounds: below their size, with the other sign, or at the nearer end.
double held_within(scalar_type t, double v, value_bounds fair) {
    double const far = std::fmax(std::fabs(fair.min), std::fabs(fair.max));
    int exponent = 0;
    if (std::fabs(v) > far) v = far * std::frexp(v, &exponent);
    if (!fair.holds(v) && fair.holds(-v)) v = -v;
    v = std::clamp(v, fair.min, fair.max);
    double const r = rounded_to(t, v);
    if (fair.holds(r) && std::isfinite(r)) return r;
    return std::fabs(fair.min) < std::fabs(fair.max) ? fair.min : fair.max;
}

/// What integers get: positions in their range, small ones more often in `exponents`.
double
whole(value_regime what, regime_drawing const& how, std::uint64_t lane, std::uint64_t lanes) {
    double const low = std::ceil(how.fair.min), count = std::floor(how.fair.max) - low + 1;
    auto const at = [&](std::uint64_t bits) {
        return low + std::fmin(std::floor(unit_interval(bits) * count), count - 1);
    };
    switch (what) {
    case value_regime::exponents:
        return low + std::floor(std::exp2(unit_interval(how.own.bits(lane)) * std::log2(count))) -
               1;
    case value_regime::equal_rows:
        return at(other(how.own, 7).bits(lane / how.row));
    case value_regime::ties:
        return at(other(how.own, 9).bits(below(3, how.own.bits(lane))));
    case value_regime::shared:
        return at(how.shared.bits(lane));
    case value_regime::upper_bounds:
    case value_regime::opposite_ends:
    case value_regime::lower_bounds:
    case value_regime::alternating_ends:
        if (between_ends(what, lane, lanes, how.own.bits(lane)))
            return at(other(how.own, 19).bits(lane));
        return at_upper_end(how, lane) ? low + count - 1 : low;
    case value_regime::rest:
        return how.updated || how.fair.min > 0 || how.fair.max < 0 ? at(how.shared.bits(lane)) : 0;
    default:
        return at(how.own.bits(lane));
    }
}

bool has_whole(value_regime what) {
    return what == value_regime::exponents || what == value_regime::equal_rows ||
           what == value_regime::ties || what == value_regime::shared ||
           what == value_regime::rest || what == value_regime::regular || is_of_ends(what) ||
           what == value_regime::patches;
}

/// What a real argument can show of a regime.
bool has_real(scalar_type t, regime_drawing const& how) {
    value_bounds const& fair = how.fair;
    bool const zero = fair.holds(0), signs = fair.min < 0 && fair.max > 0;
    double const far = std::fmax(-fair.min, fair.max);
    switch (how.what) {
    case value_regime::scaled:
        return zero && far > 0;
    case value_regime::exponents:
        return zero && far > 0 && !how.decides;
    case value_regime::all_exponents:
        return zero && !how.decides && far > std::ldexp(1.0, exponents_of(t).square);
    case value_regime::negative:
        return fair.min < 0 && fair.max >= 0;
    case value_regime::ranked:
        return zero && fair.max > 0;
    case value_regime::vanishing:
        return fair.min <= least_factor(t) / 2 && fair.max >= least_factor(t);
    case value_regime::upper_bounds:
    case value_regime::opposite_ends:
        return std::isfinite(fair.min) && std::isfinite(fair.max);
    case value_regime::opposite:
    case value_regime::cancelling:
        return signs;
    case value_regime::rest:
        return zero || how.updated;
    case value_regime::denormals:
        return zero && how.denormals;
    default:
        return far > 0;
    }
}

/// The regime of a stretch. Some are drawn for all arguments at once, since they say something of
/// several.
value_regime patch(regime_drawing const& how, scalar_type t, std::uint64_t stretch) {
    static constexpr value_regime own[] = {value_regime::exponents,
                                           value_regime::scaled,
                                           value_regime::negative,
                                           value_regime::offset,
                                           value_regime::equal_rows,
                                           value_regime::ties,
                                           value_regime::cancelling,
                                           value_regime::denormals,
                                           value_regime::regular,
                                           value_regime::ranked,
                                           value_regime::patches};
    static constexpr value_regime common[] = {value_regime::shared,
                                              value_regime::opposite,
                                              value_regime::offset,
                                              value_regime::scaled,
                                              value_regime::denormals,
                                              value_regime::rest};
    std::uint64_t const all = other(how.shared, 3).bits(stretch);
    bool const together = (all & 1) != 0;
    value_regime const drawn = together
                                   ? common[below(std::size(common), all)]
                                   : own[below(std::size(own), other(how.own, 3).bits(stretch))];
    regime_drawing asked = how;
    asked.what = drawn;
    bool const has = is_floating(t) ? has_real(t, asked) : has_whole(drawn);
    return has ? drawn : value_regime::patches;
}

} // namespace regimes

bool draw_regime(argument_data& data, regime_drawing const& asked) {
    using namespace regimes;
    if (is_half_byte(data.type.scalar))
        return drawn_as_bytes(data, asked.fair, [&](argument_data& whole, value_bounds own) {
            auto within = asked;
            within.fair = own;
            return draw_regime(whole, within);
        });
    scalar_type const t = data.type.scalar;
    regime_drawing how = asked;
    if (!is_floating(t)) {
        how.fair.min = std::fmax(how.fair.min, static_cast<double>(limits_of(t).low));
        how.fair.max = std::fmin(how.fair.max, static_cast<double>(limits_of(t).high));
    }
    std::size_t const lanes = data.lanes();
    bool const real = is_floating(t);
    if (lanes == 0 || !(how.fair.min < how.fair.max)) return false;
    if (real ? !has_real(t, how) : !has_whole(how.what)) return false;
    if (!real && !(std::isfinite(how.fair.min) && std::isfinite(how.fair.max) &&
                   std::ceil(how.fair.min) <= std::floor(how.fair.max) &&
                   std::fabs(how.fair.min) < 0x1p53 && std::fabs(how.fair.max) < 0x1p53))
        return false;
    static constexpr std::uint64_t stretches[] = {16, 64, 256};
    std::uint64_t const drawn = other(how.shared, 5).bits(0);
    std::uint64_t const stretch = drawn % 4 == 3 ? how.row : stretches[drawn % 4];
    values const value(t, how);
    ladder const steps(t, how.fair);
    // Each lane follows from its position alone, so that threads may share them out.
    auto const some = [&](std::size_t, std::size_t first, std::size_t last) noexcept {
        with_fused_multiply_add([&] {
            regular_rows regular(other(how.own, 17), how.row, steps.count);
            value_regime what = how.what;
            for (std::size_t lane = first; lane < last; ++lane) {
                if (how.what == value_regime::patches && (lane == first || lane % stretch == 0))
                    what = patch(how, t, lane / stretch);
                double const number =
                    what == value_regime::regular
                        ? steps.low + static_cast<double>(regular(lane, lanes)) * steps.unit
                    : real ? value(what, lane, lanes)
                           : whole(what, how, lane, lanes);
                if (real)
                    store_real(data, lane, held_within(t, number, how.fair));
                else
                    store_value(data, lane, number);
            }
        });
    };
    (void)for_each_chunk(lanes, threads_to_draw(lanes), {}, some); // nobody stops it
    return true;
}

bool keeps_denormals(problem const& task) {
    return task.reference.language != language::wgsl && !task.properties.fast_math;
}

bool decides(problem const& task) {
    bool real = false, whole = false;
    for (std::size_t k = 0; k < task.arguments.size(); ++k) {
        argument const& a = task.signature.arguments[k];
        if (!a.pointer || task.arguments[k].scratch) continue;
        bool const floating = is_floating(a.type.scalar);
        real = real || (floating && task.flow(k) != direction::out);
        whole = whole || (!floating && task.flow(k) != direction::in);
    }
    return real && whole;
}

bool judged_by_function(problem const& task) {
    return task.oracle && task.oracle->from != oracle_source::kind::recorded;
}

std::uint64_t
row_length(problem_size const& size, std::uint64_t lanes, random_stream const& stream) {
    std::vector<std::uint64_t> fit;
    auto const add = [&](std::int64_t extent) {
        auto const length = static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 0));
        if (length > 1 && length < lanes && lanes % length == 0) fit.push_back(length);
    };
    for (std::size_t d = 0; d < size.size(); ++d) {
        add(size[d].second);
        for (std::size_t e = 0; e < d; ++e)
            if (size[d].second < 1 << 20 && size[e].second < 1 << 20)
                add(size[d].second * size[e].second);
    }
    if (fit.empty()) return std::min<std::uint64_t>(lanes, 64);
    return fit[below(fit.size(), stream.bits(0))];
}

} // namespace lkt::detail
