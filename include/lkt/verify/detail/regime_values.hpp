// SPDX-License-Identifier: BSL-1.0
// The values of a regime, lane by lane, for a floating type.
#pragma once

#include <lkt/verify/detail/drawing.hpp>
#include <lkt/verify/detail/ranked_values.hpp>
#include <lkt/verify/detail/regular_rows.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/detail/value_regime.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace lkt::detail::regimes {

/// Another sequence of the same stream.
[[nodiscard]] inline random_stream other(random_stream const& stream, std::uint64_t which) {
    return {stream.seed ^ (0x3c6ef372fe94f82b + which), stream.test, stream.argument};
}

/// Exponents of two that a floating type has: as far as squares stay normal numbers, and as far as
/// sums of some hundred terms stay finite.
struct exponent_range {
    int square = 0, least = 0, most = 0;
};
[[nodiscard]] constexpr exponent_range exponents_of(scalar_type t) {
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
[[nodiscard]] inline double least_factor(scalar_type t) {
    if (size_of(t) == 1) return smallest_normal(t);
    if (t == scalar_type::float16) return 0x1.6ap-13;
    return t == scalar_type::float64 ? 0x1p-510 : 0x1p-62;
}

[[nodiscard]] inline bool is_of_ends(value_regime what) {
    return what == value_regime::upper_bounds || what == value_regime::opposite_ends ||
           what == value_regime::lower_bounds || what == value_regime::alternating_ends;
}
/// One of 64 lies between the ends; in the second half alone where ends do not alternate, since one
/// larger value hides what a row of the smallest shows.
[[nodiscard]] inline bool
between_ends(value_regime what, std::uint64_t lane, std::uint64_t lanes, std::uint64_t bits) {
    return bits % 64 == 0 && (what == value_regime::alternating_ends || lane >= lanes / 2);
}
[[nodiscard]] inline bool at_upper_end(regime_drawing const& how, std::uint64_t lane) {
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
[[nodiscard]] inline value_bounds ends_of(scalar_type t, value_bounds fair) {
    double const far =
        t == scalar_type::bfloat16 || size_of(t) > 2 ? large_value(t) : largest_finite(t);
    if (!std::isfinite(fair.min)) fair.min = std::fmin(-far, fair.max);
    if (!std::isfinite(fair.max)) fair.max = std::fmax(far, fair.min);
    return fair;
}

[[nodiscard]] inline double least_above_0(scalar_type t) {
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

} // namespace lkt::detail::regimes
