// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/verify/detail/chunks.hpp>
#include <lkt/verify/detail/fused_multiply_add.hpp>
#include <lkt/verify/detail/numbers_at_once.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/draw.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <stop_token>
#include <string>
#include <utility>

namespace lkt::detail {

[[nodiscard]] inline error bad_distribution(std::string what, std::string hint) {
    return {condition::rejected, "lkt.verify.distribution", std::move(what), std::move(hint)};
}

/// What all distributions draw by. No value depends on the number of threads.
struct drawing {
    expression_scope const& scope;
    random_stream stream;
    value_bounds within;
    unsigned threads = 1;
    std::stop_token stop{};

    /// Another sequence of the same argument, for what decides besides the values.
    [[nodiscard]] random_stream other_stream() const {
        return {stream.seed ^ 0x6a09e667f3bcc908, stream.test, stream.argument};
    }
};

/// Calls `put` for each lane; gives up when asked to.
template <class Put>
[[nodiscard]] result<void>
for_each_lane(argument_data const& data, drawing const& how, Put const& put) {
    bool const done =
        for_each_chunk(data.lanes(),
                       how.threads,
                       how.stop,
                       [&](std::size_t, std::size_t first, std::size_t last) noexcept {
                           with_fused_multiply_add([&] {
                               for (std::size_t lane = first; lane < last; ++lane) put(lane);
                           });
                       });
    if (!done) return cancelled("drawing test inputs");
    return {};
}

/// Writes what `value` makes of each lane and of its `Numbers` of the stream (1 or 2, so that the
/// second is its block's), and gives up when asked to. `value` returns what the lane stores.
template <std::size_t Numbers, class Value>
[[nodiscard]] result<void>
fill_from_stream(argument_data& data, drawing const& how, Value const& value) {
    constexpr std::size_t lanes_at_once = 256;
    using numbers_at_once = std::array<std::uint64_t, lanes_at_once * Numbers>;
    using stored = decltype(value(std::size_t{}, std::declval<std::uint64_t const*>()));
    static_assert(lanes_in_chunk % lanes_at_once == 0, "a chunk ends within a block");
    auto const some = [&](std::size_t, std::size_t first, std::size_t last) noexcept {
        // What is beyond the last lane is computed and left: the loops have a constant length.
        numbers_at_once numbers;
        std::array<stored, lanes_at_once> values;
        for (; first < last; first += lanes_at_once) {
            read_numbers(how.stream, first * Numbers / 2, numbers);
            with_fused_multiply_add([&] {
                for (std::size_t k = 0; k < lanes_at_once; ++k)
                    values[k] = value(first + k, numbers.data() + k * Numbers);
            });
            std::memcpy(data.bytes.data() + first * sizeof(stored),
                        values.data(),
                        std::min(lanes_at_once, last - first) * sizeof(stored));
        }
    };
    if (!for_each_chunk(data.lanes(), how.threads, how.stop, some))
        return cancelled("drawing test inputs");
    return {};
}

/// The integers of type `t` between two bounds (rounded), as two's complement: the first, and how
/// many (0 means 2^64).
struct integer_range {
    std::uint64_t first = 0, count = 0;
};
[[nodiscard]] inline result<integer_range>
integers_between(scalar_type t, double low, double high) {
    auto const [least, most] = limits_of(t);
    low = std::nearbyint(low);
    high = std::nearbyint(high);
    // Both bounds are brought into the type's range; comparing as doubles is safe because a bound
    // that is not below 2^63 (2^64) is replaced by the limit itself.
    bool const empty = low > high || low > static_cast<double>(most) ||
                       high < static_cast<double>(least) ||
                       (low == static_cast<double>(most) && most > (std::uint64_t{1} << 53));
    if (empty)
        return bad_distribution("no " + std::string(to_string(t)) + " lies between " +
                                    significant(low) + " and " + significant(high),
                                "Give bounds that the argument's type can hold.");
    auto const whole = [](double v) {
        return v < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(v))
                     : static_cast<std::uint64_t>(v);
    };
    std::uint64_t const first =
        low <= static_cast<double>(least) ? static_cast<std::uint64_t>(least) : whole(low);
    std::uint64_t const last = high >= static_cast<double>(most) ? most : whole(high);
    return integer_range{first, last - first + 1};
}

/// The bounds of a uniform distribution, moved inwards to values that the type has, so that
/// rounding a number between them never leaves them.
[[nodiscard]] inline result<uniform> representable(scalar_type t, uniform u) {
    double const most = largest_finite(t);
    double low = std::fmax(u.low, -most), high = std::fmin(u.high, most);
    // Half a step of the type's precision inwards lands on the neighbour when rounded.
    auto const inwards = [&](double v, double towards) {
        double const r = rounded_to(t, v);
        if (towards > 0 ? r >= v : r <= v) return r;
        double step = std::fabs(v) * 0x1p-24 + 0x1p-149;
        if (t == scalar_type::float16) step = std::fabs(v) * 0x1p-11 + 0x1p-24;
        if (t == scalar_type::bfloat16) step = std::fabs(v) * 0x1p-8 + 0x1p-133;
        if (t == scalar_type::float4_e2m1) step = std::fabs(v) * 0x1p-2 + 0x1p-2;
        if (t == scalar_type::float8_e4m3) step = std::fabs(v) * 0x1p-4 + 0x1p-10;
        if (t == scalar_type::float8_e5m2) step = std::fabs(v) * 0x1p-3 + 0x1p-17;
        return rounded_to(t, v + towards * step);
    };
    if (t != scalar_type::float64) {
        low = inwards(low, 1);
        high = inwards(high, -1);
    }
    if (!(low <= high))
        return bad_distribution("no " + std::string(to_string(t)) + " lies between " +
                                    significant(u.low) + " and " + significant(u.high),
                                "Give bounds that the argument's type can hold, lower one first.");
    return uniform{low, high};
}

/// `bounds`, as far as they lie within the domain.
[[nodiscard]] inline result<uniform> in_domain(scalar_type t, uniform bounds, value_bounds within) {
    // The domain's bounds round inwards: no integer between 0.4 and 3.6 is 0 or 4.
    if (!is_floating(t)) within = {std::ceil(within.min), std::floor(within.max)};
    uniform const both{std::fmax(bounds.low, within.min), std::fmin(bounds.high, within.max)};
    if (bounds.low <= bounds.high && !(both.low <= both.high))
        return bad_distribution("nothing between " + significant(bounds.low) + " and " +
                                    significant(bounds.high) +
                                    " lies in the argument's domain, from " +
                                    significant(within.min) + " to " + significant(within.max),
                                "Choose a distribution that meets the domain.");
    return both;
}

/// Whether each of these values lies in the domain, and in the type.
[[nodiscard]] inline result<void>
all_fair(scalar_type t, value_bounds within, std::initializer_list<double> values, char const* of) {
    for (double const v : values) {
        bool const has = is_floating(t) ? rounded_to(t, v) == v : v >= 0 || limits_of(t).low < 0;
        if (has && within.holds(v)) continue;
        return bad_distribution(std::string(of) + " needs the value " + significant(v) +
                                    (has ? ", which is outside of the argument's domain"
                                         : ", which " + std::string(to_string(t)) + " lacks"),
                                "Choose another distribution, or widen the domain.");
    }
    return {};
}

/// The bits of a whole number as two's complement.
[[nodiscard]] inline std::uint64_t integer_bits(double value) {
    return value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                     : static_cast<std::uint64_t>(value);
}

/// Writes a whole number, which the type has, or a real one into a lane of any type.
inline void store_value(argument_data& data, std::size_t lane, double value) {
    if (is_floating(data.type.scalar)) return store_real(data, lane, value);
    store_integer(data, lane, integer_bits(value));
}

/// Calls `f` with what turns such a number into what a lane stores.
template <class F>
auto with_value_stored(scalar_type t, F const& f) {
    if (is_floating(t)) return with_real_stored(t, f);
    return with_integer_stored(t, [&](auto stored) {
        return f([=](double value) { return stored(integer_bits(value)); });
    });
}

/// The k-th of `parts` nearly equal shares of `whole`: where it begins.
[[nodiscard]] inline std::uint64_t
share_begin(std::uint64_t whole, std::uint64_t parts, std::uint64_t k) {
    return k * (whole / parts) + std::min(k, whole % parts);
}

/// Below this a floating type loses digits.
[[nodiscard]] inline double smallest_normal(scalar_type t) {
    if (t == scalar_type::float4_e2m1) return 1;
    if (t == scalar_type::float8_e4m3) return 0x1p-6;
    if (t == scalar_type::float16 || t == scalar_type::float8_e5m2) return 0x1p-14;
    if (t == scalar_type::float64) return std::numeric_limits<double>::min();
    return 0x1p-126; // bfloat16 has the exponents of float32
}

/// What `draw` makes of a byte for each half byte, as half bytes; it gets the bounds for that.
template <class Draw>
auto drawn_as_bytes(argument_data& data, value_bounds within, Draw const& draw) {
    scalar_type const t = data.type.scalar;
    bool const real = t == scalar_type::float4_e2m1; // each of its values is one of e4m3
    argument_data whole{{real                     ? scalar_type::float8_e4m3
                         : t == scalar_type::int4 ? scalar_type::int8
                                                  : scalar_type::uint8,
                         1},
                        true,
                        byte_buffer(data.lanes())};
    double const least = real ? -6 : static_cast<double>(limits_of(t).low);
    double const most = real ? 6 : static_cast<double>(limits_of(t).high);
    within = {std::fmax(within.min, least), std::fmin(within.max, most)};
    if (real) { // between values of the type, so that the nearest one is within, too
        double const low = rounded_to(t, within.min), high = rounded_to(t, within.max);
        within = {low < within.min ? neighbour(t, low, 1) : low,
                  high > within.max ? neighbour(t, high, -1) : high};
    }
    auto const made = draw(whole, within);
    for (std::size_t k = 0; k < data.lanes(); ++k)
        store_integer(data,
                      k,
                      real ? encode_float4_e2m1(lane_as_double(whole, k))
                           : static_cast<std::uint64_t>(whole.bytes[k]));
    return made;
}

// One for each distribution; those of a structure are in draw_structured.ipp.
result<void> fill(argument_data& data, uniform u, drawing const& how);
result<void> fill(argument_data& data, normal n, drawing const& how);
result<void> fill(argument_data& data, constant c, drawing const& how);
result<void> fill(argument_data& data, indices const& i, drawing const& how);
result<void> fill(argument_data& data, sparse s, drawing const& how);
result<void> fill(argument_data& data, one_hot, drawing const& how);
result<void> fill(argument_data& data, spikes s, drawing const& how);
result<void> fill(argument_data& data, alternating, drawing const& how);
result<void> fill(argument_data& data, extremes, drawing const& how);
result<void> fill(argument_data& data, permutation, drawing const& how);
result<void> fill(argument_data& data, ascending, drawing const& how);
result<void> fill(argument_data& data, cancellation c, drawing const& how);

} // namespace lkt::detail
