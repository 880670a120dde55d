// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/draw.hpp>

#include <lkt/core/units.hpp>
#include <lkt/verify/detail/parallel.hpp>
#include <lkt/verify/detail/scalars.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>

namespace lkt {

namespace detail {

error bad_distribution(std::string what, std::string hint) {
    return {condition::rejected, "lkt.verify.distribution", std::move(what), std::move(hint)};
}

/// How a drawing is carried out, which no value depends on.
struct drawing {
    unsigned threads = 1;
    std::stop_token stop;
};

/// Calls what `make` returns for each lane; gives up when asked to. Each chunk has one of its own,
/// since it may remember what it read of the stream.
template <class Make>
result<void> for_each_lane(argument_data const& data, drawing const& how, Make const& make) {
    bool const done =
        for_each_chunk(data.lanes(),
                       how.threads,
                       how.stop,
                       [&](std::size_t, std::size_t first, std::size_t last) noexcept {
                           auto put = make();
                           for (std::size_t lane = first; lane < last; ++lane) put(lane);
                       });
    if (!done) return cancelled("drawing test inputs");
    return {};
}

/// A stream read in order: what two neighbours share is computed once.
class bits_reader {
public:
    explicit bits_reader(random_stream const& stream) : stream_(stream) {}
    [[nodiscard]] std::uint64_t operator()(std::uint64_t index) {
        if (index / 2 != at_) block_ = stream_.block(at_ = index / 2);
        return block_[index % 2];
    }

private:
    random_stream stream_;
    std::uint64_t at_ = ~std::uint64_t{0};
    std::array<std::uint64_t, 2> block_{};
};

/// The integers of type `t` between two bounds (rounded), as two's complement: the first, and how
/// many (0 means 2^64).
struct integer_range {
    std::uint64_t first = 0, count = 0;
};
result<integer_range> integers_between(scalar_type t, double low, double high) {
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
result<uniform> representable(scalar_type t, uniform u) {
    double const most = largest_finite(t);
    double low = std::fmax(u.low, -most), high = std::fmin(u.high, most);
    // Half a step of the type's precision inwards lands on the neighbour when rounded.
    auto const inwards = [&](double v, double towards) {
        double const r = rounded_to(t, v);
        if (towards > 0 ? r >= v : r <= v) return r;
        double step = std::fabs(v) * 0x1p-24 + 0x1p-149;
        if (t == scalar_type::float16) step = std::fabs(v) * 0x1p-11 + 0x1p-24;
        if (t == scalar_type::bfloat16) step = std::fabs(v) * 0x1p-8 + 0x1p-133;
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

result<void> fill(argument_data& data,
                  uniform u,
                  expression_scope const&,
                  random_stream const& stream,
                  drawing const& how) {
    if (!std::isfinite(u.low) || !std::isfinite(u.high) || !std::isfinite(u.high - u.low))
        return bad_distribution("the bounds of a uniform distribution are not finite",
                                "Give two finite numbers whose difference is finite too.");
    if (is_floating(data.type.scalar)) {
        auto const bounds = representable(data.type.scalar, u);
        if (!bounds) return bounds.error();
        double const low = bounds->low, width = bounds->high - bounds->low, high = bounds->high;
        return for_each_lane(data, how, [&] {
            return [&, bits = bits_reader(stream)](std::size_t lane) mutable {
                double const v = std::fma(unit_interval(bits(lane)), width, low);
                store_real(data, lane, std::fmin(v, high));
            };
        });
    }
    auto const range = integers_between(data.type.scalar, u.low, u.high);
    if (!range) return range.error();
    return for_each_lane(data, how, [&] {
        return [&, bits = bits_reader(stream)](std::size_t lane) mutable {
            store_integer(data, lane, range->first + below(range->count, bits(lane)));
        };
    });
}

result<void> fill(argument_data& data,
                  normal n,
                  expression_scope const&,
                  random_stream const& stream,
                  drawing const& how) {
    // Ten standard deviations are more than the generator ever goes.
    if (!std::isfinite(std::fabs(n.mean) + 10 * n.stddev) || n.stddev < 0)
        return bad_distribution("the parameters of a normal distribution are not usable",
                                "Give a finite mean and a finite stddev that is not negative.");
    scalar_type const t = data.type.scalar;
    auto const value = [&](std::size_t lane) {
        return std::fma(standard_normal(stream.block(lane)), n.stddev, n.mean);
    };
    if (is_floating(t)) {
        double const most = largest_finite(t);
        return for_each_lane(data, how, [&] {
            return [&](std::size_t lane) {
                store_real(data, lane, std::fmax(-most, std::fmin(value(lane), most)));
            };
        });
    }
    auto const [least, most] = limits_of(t);
    auto const put = [&](std::size_t lane) {
        double const v = std::nearbyint(value(lane));
        std::uint64_t bits = 0;
        if (v <= static_cast<double>(least))
            bits = static_cast<std::uint64_t>(least);
        else if (v >= static_cast<double>(most))
            bits = most;
        else if (v < 0)
            bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(v));
        else
            bits = static_cast<std::uint64_t>(v);
        store_integer(data, lane, bits);
    };
    return for_each_lane(data, how, [&] { return put; });
}

result<void> fill(argument_data& data,
                  constant c,
                  expression_scope const&,
                  random_stream const&,
                  drawing const& how) {
    if (!std::isfinite(c.value))
        return bad_distribution("a constant is not finite", "Give a finite number.");
    if (is_floating(data.type.scalar)) {
        if (!std::isfinite(rounded_to(data.type.scalar, c.value)))
            return bad_distribution("the constant " + significant(c.value) + " does not fit " +
                                        std::string(to_string(data.type.scalar)),
                                    "Give a number that the argument's type can hold.");
        return for_each_lane(
            data, how, [&] { return [&](std::size_t lane) { store_real(data, lane, c.value); }; });
    }
    auto const range = integers_between(data.type.scalar, c.value, c.value);
    if (!range) return range.error();
    return for_each_lane(data, how, [&] {
        return [&](std::size_t lane) { store_integer(data, lane, range->first); };
    });
}

result<void> fill(argument_data& data,
                  indices const& i,
                  expression_scope const& scope,
                  random_stream const& stream,
                  drawing const& how) {
    auto const end = i.below.evaluate_integer(scope);
    if (!end) return end.error();
    scalar_type const t = data.type.scalar;
    auto const fits = [&](std::int64_t last) {
        if (!is_floating(t)) return static_cast<std::uint64_t>(last) <= limits_of(t).high;
        return rounded_to(t, static_cast<double>(last)) == static_cast<double>(last);
    };
    if (*end < 1 || !fits(*end - 1))
        return bad_distribution(
            "indices below " + std::to_string(*end) + " do not fit " + std::string(to_string(t)),
            "Give a bound of at least 1 whose predecessor the argument's type can hold.");
    auto const count = static_cast<std::uint64_t>(*end);
    return for_each_lane(data, how, [&] {
        return [&, bits = bits_reader(stream)](std::size_t lane) mutable {
            std::uint64_t const v = below(count, bits(lane));
            if (is_floating(t))
                store_real(data, lane, static_cast<double>(v));
            else
                store_integer(data, lane, v);
        };
    });
}

result<void> draw_on_threads(unsigned threads,
                             argument_data& data,
                             distribution const& how,
                             expression_scope const& scope,
                             random_stream const& stream,
                             call_context const& context) {
    drawing const run{threads, context.stop};
    return std::visit([&](auto const& d) { return fill(data, d, scope, stream, run); }, how);
}
} // namespace detail

result<void> draw(argument_data& data,
                  distribution const& how,
                  expression_scope const& scope,
                  random_stream const& stream,
                  call_context const& context) {
    return detail::draw_on_threads(
        detail::threads_for(data.lanes()), data, how, scope, stream, context);
}

} // namespace lkt
