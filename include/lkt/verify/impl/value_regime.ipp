// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/detail/value_regime.hpp>

#include <lkt/verify/detail/chunks.hpp>
#include <lkt/verify/detail/drawing.hpp>
#include <lkt/verify/detail/fused_multiply_add.hpp>
#include <lkt/verify/detail/ranked_values.hpp>
#include <lkt/verify/detail/regular_rows.hpp>
#include <lkt/verify/detail/scalars.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace lkt::detail {

namespace regimes {

/// Another sequence of the same stream.
random_stream other(random_stream const& stream, std::uint64_t which) {
    return {stream.seed ^ (0x3c6ef372fe94f82b + which), stream.test, stream.argument};
}

/// Exponents of two that a floating type has: as far as squares stay normal numbers, and as far as
/// sums of some hundred terms stay finite.
struct exponent_range {
    int square = 0, least = 0, most = 0;
};
constexpr exponent_range exponents_of(scalar_type t) {
    if (t == scalar_type::float8_e4m3) return {2, -6, 5};
    if (t == scalar_type::float16 || t == scalar_type::float8_e5m2) return {6, -14, 11};
    if (t == scalar_type::float64) return {480, -1022, 1015};
    return {56, -126, 119};
}

/// Equal steps between bounds, as many as the type can tell apart: of 1 for integers, whose bounds
/// are finite, and of a power of two for others.
struct ladder {
    double low = 0, unit = 1;
    std::uint64_t count = 2;

    ladder(scalar_type t, value_bounds fair) {
        if (!is_floating(t)) {
            low = std::ceil(fair.min);
            count = static_cast<std::uint64_t>(std::floor(fair.max) - low + 1);
            return;
        }
        bool const below = std::isfinite(fair.min), above = std::isfinite(fair.max);
        double const most = t == scalar_type::float8_e5m2   ? 8
                            : t == scalar_type::float8_e4m3 ? 16
                            : t == scalar_type::bfloat16    ? 128
                                                            : 1024;
        double const wide = below && above ? fair.max - fair.min : most / 8;
        int exponent = 0;
        (void)std::frexp(wide / (most - 1), &exponent);
        unit = std::ldexp(1.0, exponent - 1);
        low = below ? fair.min : above ? fair.max - most * unit : -most / 2 * unit;
        low = std::ceil(low / unit) * unit;
        double const high = above ? fair.max : low + (most - 1) * unit;
        count =
            static_cast<std::uint64_t>(std::clamp(std::floor((high - low) / unit) + 1, 2.0, most));
    }
};

/// The square root of the largest product that float16 takes for 0, while sums of such products are
/// more than a bound allows for. Types as wide as what sums are made in have the least products
/// that keep their digits.
double least_factor(scalar_type t) {
    if (size_of(t) == 1) return smallest_normal(t);
    if (t == scalar_type::float16) return 0x1.6ap-13;
    return t == scalar_type::float64 ? 0x1p-510 : 0x1p-62;
}

bool is_of_ends(value_regime what) {
    return what == value_regime::upper_bounds || what == value_regime::opposite_ends ||
           what == value_regime::lower_bounds || what == value_regime::alternating_ends;
}
/// One of 64 lies between the ends; in the second half alone where ends do not alternate, since one
/// larger value hides what a row of the smallest shows.
bool between_ends(value_regime what, std::uint64_t lane, std::uint64_t lanes, std::uint64_t bits) {
    return bits % 64 == 0 && (what == value_regime::alternating_ends || lane >= lanes / 2);
}
bool at_upper_end(regime_drawing const& how, std::uint64_t lane) {
    switch (how.what) {
    case value_regime::upper_bounds:
        return true;
    case value_regime::lower_bounds:
        return false;
    case value_regime::alternating_ends:
        return (lane / how.row / 2 + lane % how.row / 2) % 2 != 0;
    default: // opposite ends
        return how.argument % 2 != 0;
    }
}

/// The ends of a floating argument. Without bounds these are the largest numbers of narrow types,
/// of which float32 holds products.
value_bounds ends_of(scalar_type t, value_bounds fair) {
    double const far =
        t == scalar_type::bfloat16 || size_of(t) > 2 ? large_value(t) : largest_finite(t);
    if (!std::isfinite(fair.min)) fair.min = std::fmin(-far, fair.max);
    if (!std::isfinite(fair.max)) fair.max = std::fmax(far, fair.min);
    return fair;
}

double least_above_0(scalar_type t) {
    return t == scalar_type::float64       ? 0x1p-1074
           : t == scalar_type::float8_e4m3 ? 0x1p-9
           : t == scalar_type::float8_e5m2 ? 0x1p-16
           : t == scalar_type::float16     ? 0x1p-24
           : t == scalar_type::bfloat16    ? 0x1p-133
                                           : 0x1p-149;
}

/// Values of one regime: `value(lane)`, before it is brought into the bounds.
class values {
public:
    values(scalar_type t, regime_drawing const& how) : type_(t), how_(how) {
        // Of the whole argument.
        auto const bits = other(how.own, 1);
        for (std::size_t k = 0; k < three_.size(); ++k) three_[k] = moderate(bits.block(2 + k));
        columns_ = bits.bits(12) % 2 != 0;
        auto const e = exponents_of(t);
        // Squares of halves may be no normal halves, since float holds them.
        least_ = t == scalar_type::float16 || is_float8(t) ? e.least : -e.square;
        most_ = e.square / 2;
        static constexpr double parts[] = {-1, -0.5, -0.25, -0.25, 0.25, 0.5};
        double const part = parts[below(6, bits.bits(13))];
        scale_ = static_cast<int>(part < 0 ? -part * least_ : part * e.square);
        // The same for all arguments: what they have in common is lost in their difference.
        auto const common = other(how.shared, 13);
        bool const small = narrow();
        int const exponent = static_cast<int>(below(11, common.bits(0))) + (small ? -4 : 2);
        offset_ = std::ldexp(1 + unit_interval(common.bits(1)), exponent);
        if (common.bits(2) % 2 != 0) offset_ = -offset_;
        if (std::isfinite(how.fair.min) && std::isfinite(how.fair.max))
            offset_ = how.fair.min +
                      (how.fair.max - how.fair.min) * (0.2 + 0.6 * unit_interval(common.bits(1)));
    }

    [[nodiscard]] double
    operator()(value_regime what, std::uint64_t lane, std::uint64_t lanes) const {
        auto const block = how_.own.block(lane);
        double const u = unit_interval(block[0]);
        switch (what) {
        case value_regime::scaled:
            return std::ldexp(standard_normal(block), scale_of(lane / how_.row));
        case value_regime::exponents:
            return with_exponent(block, -exponents_of(type_).square, exponents_of(type_).square);
        case value_regime::all_exponents:
            return with_exponent(block,
                                 exponents_of(type_).least,
                                 how_.exact ? exponents_of(type_).square
                                            : exponents_of(type_).most);
        case value_regime::negative:
            return -std::fabs(with_exponent(block, -3, 3));
        case value_regime::vanishing:
            return least_factor(type_) * (0.5 + u / 2);
        case value_regime::offset:
            return offset_ * (1 + (u - 0.5) * (narrow() ? 0x1p-5 : 0x1p-10));
        case value_regime::equal_rows:
            return moderate(other(how_.own, 7).block(lane / how_.row));
        case value_regime::ties:
            return three_[below(three_.size(), block[0])];
        case value_regime::shared:
            return moderate(how_.shared.block(lane));
        case value_regime::opposite: {
            double const value = moderate(how_.shared.block(lane));
            if (how_.argument % 2 == 0) return value;
            return block[1] % 3 != 0 ? -value
                                     : -value * (1 + (u - 0.5) * (narrow() ? 0x1p-6 : 0x1p-17));
        }
        case value_regime::rest:
            return how_.updated ? moderate(how_.shared.block(lane)) : 0;
        case value_regime::cancelling:
            return cancelling(lane, lanes);
        case value_regime::ranked:
            return ranked_value(lane % how_.row,
                                lane / how_.row,
                                how_.row,
                                ends_of(type_, how_.fair),
                                how_.denormals ? least_above_0(type_) : smallest_normal(type_),
                                other(how_.own, 29 + lane / how_.row));
        case value_regime::denormals: {
            double const least = least_above_0(type_);
            double const steps = smallest_normal(type_) / least;
            double const value = std::ceil(u * steps) * least;
            return (block[1] & 1) != 0 ? value : -value;
        }
        case value_regime::upper_bounds:
        case value_regime::opposite_ends:
        case value_regime::lower_bounds:
        case value_regime::alternating_ends: {
            auto const [low, high] = ends_of(type_, how_.fair);
            if (between_ends(what, lane, lanes, block[1])) return std::fma(u, high - low, low);
            return at_upper_end(how_, lane) ? high : low;
        }
        case value_regime::regular: // see `draw_regime`
        case value_regime::patches:
            break;
        }
        return moderate(block);
    }

private:
    /// Another one in each row of every second argument, beside one of the others: each sum of
    /// products is of one size.
    [[nodiscard]] int scale_of(std::uint64_t row) const {
        if (how_.argument % 2 != 0) return scale_;
        auto const count = static_cast<std::uint64_t>(most_ - least_ + 1);
        return least_ + static_cast<int>(below(count, other(how_.own, 23).bits(row)));
    }
    [[nodiscard]] bool narrow() const { return is_floating(type_) && size_of(type_) <= 2; }
    [[nodiscard]] static double moderate(std::array<std::uint64_t, 2> block) {
        return standard_normal(block);
    }
    [[nodiscard]] static double
    with_exponent(std::array<std::uint64_t, 2> block, int least, int most) {
        auto const count = static_cast<std::uint64_t>(most - least + 1);
        double const value = std::ldexp(1 + unit_interval(block[0]),
                                        least + static_cast<int>(below(count, block[1] >> 1 << 1)));
        return (block[1] & 1) != 0 ? value : -value;
    }
    /// Pairs of opposite values side by side in each row or, where rows are what is paired, each
    /// column; 0 where one is left over.
    [[nodiscard]] double cancelling(std::uint64_t lane, std::uint64_t lanes) const {
        std::uint64_t const length = how_.row, row = lane / length, column = lane % length;
        std::uint64_t const place = columns_ ? row : column;
        std::uint64_t const end = columns_ ? (lanes + length - 1) / length : length;
        if (place + 1 == end && end % 2 != 0) return 0;
        std::uint64_t const pair = columns_ ? row / 2 * length + column : row * length + column / 2;
        double const value = moderate(other(how_.own, 11).block(pair));
        return place % 2 == 0 ? value : -value;
    }

    scalar_type type_;
    regime_drawing const& how_;
    double offset_ = 1;
    std::array<double, 3> three_{};
    int scale_ = 0, least_ = 0, most_ = 0;
    bool columns_ = false;
};

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
