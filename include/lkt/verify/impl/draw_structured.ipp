// SPDX-License-Identifier: BSL-1.0
// Inputs with a structure.
#pragma once

#include <lkt/verify/detail/drawing.hpp>
#include <lkt/verify/draw.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lkt {

namespace detail {

namespace drawing_parts {

/// 0 to n - 1 in a drawn order, each place computed on its own: a Feistel network over the next
/// even number of bits, walked along its cycle until it is back below n (Black and Rogaway, Ciphers
/// with arbitrary finite domains, 2002).
class drawn_order {
public:
    drawn_order(random_stream const& stream, std::uint64_t n)
        : n_(n),
          half_((static_cast<int>(std::bit_width(std::max(n, std::uint64_t{2}) - 1)) + 1) / 2) {
        for (std::size_t k = 0; k < keys_.size(); ++k) keys_[k] = stream.bits(k);
    }
    [[nodiscard]] std::uint64_t operator()(std::uint64_t place) const {
        do place = round_trip(place);
        while (place >= n_);
        return place;
    }

private:
    /// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
    static std::uint64_t mixed(std::uint64_t x) {
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
        x = (x ^ x >> 27) * 0x94d049bb133111eb;
        return x ^ x >> 31;
    }
    [[nodiscard]] std::uint64_t round_trip(std::uint64_t x) const {
        std::uint64_t const mask = (std::uint64_t{1} << half_) - 1;
        std::uint64_t left = x >> half_, right = x & mask;
        for (std::uint64_t const key : keys_) {
            std::uint64_t const next = left ^ (mixed(right ^ key) & mask);
            left = right;
            right = next;
        }
        return left << half_ | right;
    }

    std::uint64_t n_;
    int half_;
    std::array<std::uint64_t, 8> keys_{};
};

/// Where `ascending` and `extremes` go if nothing bounds them.
uniform sensible_range(scalar_type t, value_bounds within, double real, double whole) {
    double const far = is_floating(t) ? real : whole;
    uniform range{-far, far};
    if (!is_floating(t)) {
        auto const [least, most] = limits_of(t);
        range.low = std::fmax(range.low, static_cast<double>(least));
        range.high = std::fmin(range.high, static_cast<double>(most));
    }
    // One bound moves the range where it must.
    if (std::isfinite(within.min)) range.high = std::fmax(range.high, within.min + far);
    if (std::isfinite(within.max)) range.low = std::fmin(range.low, within.max - far);
    if (std::isfinite(within.min)) range.low = within.min;
    if (std::isfinite(within.max)) range.high = within.max;
    return range;
}

/// The bounds of `range` as values that the type has, inside the range.
result<uniform> rounded_range(scalar_type t, uniform range) {
    if (is_floating(t)) return representable(t, range);
    range = {std::ceil(range.low), std::floor(range.high)};
    auto const some = integers_between(t, range.low, range.high);
    if (!some) return some.error();
    auto const [least, most] = limits_of(t);
    return uniform{std::fmax(range.low, static_cast<double>(least)),
                   std::fmin(range.high, static_cast<double>(most))};
}

} // namespace drawing_parts

result<void> fill(argument_data& data, sparse s, drawing const& how) {
    if (!(s.fraction >= 0 && s.fraction <= 1))
        return bad_distribution("the fraction of a sparse distribution is not between 0 and 1",
                                "Give the share of the elements that are not 0.");
    scalar_type const t = data.type.scalar;
    if (auto ok = all_fair(t, how.within, {0}, "a sparse distribution"); !ok) return ok;
    auto range = in_domain(t, {-1, 1}, how.within);
    if (!range) return range.error();
    range = drawing_parts::rounded_range(t, *range);
    if (!range) return range.error();
    auto const [low, high] = *range;
    double const width = high - low;
    bool const real = is_floating(t);
    return with_value_stored(t, [&](auto stored) {
        return fill_from_stream<2>(data, how, [=](std::size_t, std::uint64_t const* numbers) {
            if (!(unit_interval(numbers[0]) < s.fraction)) return stored(0);
            double const value = std::fmin(std::fma(unit_interval(numbers[1]), width, low), high);
            if (real) return stored(value);
            // An integer that is not 0 is a bound.
            return stored(value < 0 || high <= 0 ? low : high);
        });
    });
}

result<void> fill(argument_data& data, one_hot, drawing const& how) {
    if (auto ok = all_fair(data.type.scalar, how.within, {0, 1}, "a one-hot distribution"); !ok)
        return ok;
    std::size_t const hot = below(data.lanes(), how.stream.bits(0));
    return for_each_lane(
        data, how, [&](std::size_t lane) { store_value(data, lane, lane == hot ? 1 : 0); });
}

result<void> fill(argument_data& data, spikes s, drawing const& how) {
    if (auto ok = all_fair(data.type.scalar, how.within, {s.low, s.high}, "spikes"); !ok) return ok;
    return with_value_stored(data.type.scalar, [&](auto stored) {
        return fill_from_stream<1>(data, how, [=](std::size_t, std::uint64_t const* numbers) {
            return stored(unit_interval(*numbers) < s.fraction ? s.high : s.low);
        });
    });
}

result<void> fill(argument_data& data, alternating, drawing const& how) {
    if (auto ok = all_fair(data.type.scalar, how.within, {1, -1}, "an alternating distribution");
        !ok)
        return ok;
    return for_each_lane(
        data, how, [&](std::size_t lane) { store_value(data, lane, lane % 2 == 0 ? 1 : -1); });
}

result<void> fill(argument_data& data, extremes, drawing const& how) {
    scalar_type const t = data.type.scalar;
    auto const range = drawing_parts::rounded_range(
        t, drawing_parts::sensible_range(t, how.within, large_value(t), 1000));
    if (!range) return range.error();
    std::vector<double> values{range->low, range->high};
    double const next = is_floating(t) ? smallest_normal(t) : 1;
    for (double const v : {0.0, 1.0, -1.0, next, -next})
        if (v >= range->low && v <= range->high &&
            std::find(values.begin(), values.end(), v) == values.end())
            values.push_back(v);
    return with_value_stored(t, [&](auto stored) {
        return fill_from_stream<1>(
            data, how, [&, stored](std::size_t, std::uint64_t const* numbers) {
                return stored(values[below(values.size(), *numbers)]);
            });
    });
}

result<void> fill(argument_data& data, permutation, drawing const& how) {
    scalar_type const t = data.type.scalar;
    std::uint64_t const last = data.lanes() - 1;
    auto const real = static_cast<double>(last);
    // Of floating types those integers below which none is missing.
    bool const fits = is_floating(t) ? rounded_to(t, real) == real &&
                                           (last == 0 || rounded_to(t, real - 1) == real - 1)
                                     : last <= limits_of(t).high;
    if (data.lanes() == 0) return {};
    if (!fits || !how.within.holds(0) || !how.within.holds(real))
        return bad_distribution("a permutation of " + std::to_string(data.lanes()) +
                                    " numbers does not fit " +
                                    (fits ? "the argument's domain" : std::string(to_string(t))),
                                "Choose a smaller size, or another distribution.");
    drawing_parts::drawn_order const order(how.stream, data.lanes());
    return for_each_lane(data, how, [&](std::size_t lane) {
        store_value(data, lane, static_cast<double>(order(lane)));
    });
}

/// Sorting would take a global order; one value from each of n equal parts of the range is in order
/// from the start, and as uniform.
result<void> fill(argument_data& data, ascending, drawing const& how) {
    scalar_type const t = data.type.scalar;
    uniform wanted = drawing_parts::sensible_range(t, how.within, 1, 1000);
    // Sums of ascending values of both signs grow far beyond their result, and round accordingly.
    if (is_floating(t) && std::isinf(how.within.min) && wanted.high > 0) wanted.low = 0;
    if (!std::isfinite(wanted.high - wanted.low))
        return bad_distribution("the width of the argument's domain is not finite",
                                "Give a domain whose bounds are nearer to each other.");
    auto const range = drawing_parts::rounded_range(t, wanted);
    if (!range) return range.error();
    std::size_t const n = data.lanes();
    auto const whole = static_cast<double>(n);
    // Where in the whole a lane's value lies.
    auto const place = [=](std::size_t lane, std::uint64_t const* numbers) {
        return (static_cast<double>(lane) + unit_interval(*numbers)) / whole;
    };
    if (is_floating(t)) {
        auto const [low, high] = *range;
        double const width = high - low;
        return with_real_stored(t, [&](auto stored) {
            return fill_from_stream<1>(
                data, how, [=](std::size_t lane, std::uint64_t const* numbers) {
                    return stored(std::fmin(std::fma(place(lane, numbers), width, low), high));
                });
        });
    }
    auto integers = integers_between(t, range->low, range->high);
    if (!integers) return integers.error();
    if (integers->count == 0) --integers->count; // 2^64 has no room
    auto const [first, count] = *integers;
    auto const integer = [=](std::size_t lane, std::uint64_t const* numbers) {
        if (count >= n) {
            std::uint64_t const from = share_begin(count, n, lane);
            return first + from + below(share_begin(count, n, lane + 1) - from, *numbers);
        }
        double const at = place(lane, numbers) * static_cast<double>(count);
        return first + std::min(static_cast<std::uint64_t>(at), count - 1);
    };
    return with_integer_stored(t, [&](auto stored) {
        return fill_from_stream<1>(data, how, [=](std::size_t lane, std::uint64_t const* numbers) {
            return stored(integer(lane, numbers));
        });
    });
}

/// Half of the elements are pairs. A lane's place in a drawn order says whether it is in one, and
/// which.
result<void> fill(argument_data& data, cancellation c, drawing const& how) {
    scalar_type const t = data.type.scalar;
    if (!std::isfinite(c.magnitude) || c.magnitude <= 0 || !std::isfinite(c.residual_low) ||
        !std::isfinite(c.residual_high) || !std::isfinite(c.residual_high - c.residual_low))
        return bad_distribution("the parameters of a cancellation are not usable",
                                "Give a magnitude above 0, and finite residuals.");
    auto residuals = in_domain(t, {c.residual_low, c.residual_high}, how.within);
    if (!residuals) return residuals.error();
    residuals = drawing_parts::rounded_range(t, *residuals);
    if (!residuals) return residuals.error();
    bool const real = is_floating(t);
    double const least = real ? 0 : 1;
    double most = std::fmin(c.magnitude, std::fmin(how.within.max, -how.within.min));
    if (real)
        most = std::fmin(most, largest_finite(t));
    else
        most = std::floor(std::fmin(most,
                                    std::fmin(static_cast<double>(limits_of(t).high),
                                              -static_cast<double>(limits_of(t).low))));
    if (!(most > 0) || most < least)
        return bad_distribution(std::string(to_string(t)) +
                                    " has no pairs of opposite numbers up to " +
                                    significant(c.magnitude) + " in the argument's domain",
                                "Choose another distribution, or widen the domain.");
    if (real) {
        auto const pairs = representable(t, {0, most});
        if (!pairs) return pairs.error();
        most = pairs->high;
    }
    std::size_t const n = data.lanes(), pairs = n < 2 ? 0 : std::max<std::size_t>(1, n / 4);
    drawing_parts::drawn_order const order(how.other_stream(), n);
    auto const between = [&](std::uint64_t bits, double low, double high) {
        if (real) return std::fmin(std::fma(unit_interval(bits), high - low, low), high);
        return std::fmin(low + std::floor(unit_interval(bits) * (high - low + 1)), high);
    };
    return for_each_lane(data, how, [&](std::size_t lane) {
        std::uint64_t const place = order(lane);
        if (place >= 2 * pairs)
            return store_value(
                data, lane, between(how.stream.bits(place), residuals->low, residuals->high));
        // From the upper end down, so that 0 is as good as never one of a pair.
        double const value = real ? most * (1 - unit_interval(how.stream.bits(place / 2)))
                                  : between(how.stream.bits(place / 2), least, most);
        store_value(data, lane, place % 2 == 0 ? value : -value);
    });
}

} // namespace detail

} // namespace lkt
