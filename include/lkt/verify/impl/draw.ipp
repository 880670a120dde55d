// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/draw.hpp>

#include <lkt/verify/detail/drawing.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

namespace lkt {

namespace detail {

result<void> fill(argument_data& data, uniform u, drawing const& how) {
    if (!std::isfinite(u.low) || !std::isfinite(u.high) || !std::isfinite(u.high - u.low))
        return bad_distribution("the bounds of a uniform distribution are not finite",
                                "Give two finite numbers whose difference is finite too.");
    auto const fair = in_domain(data.type.scalar, u, how.within);
    if (!fair) return fair.error();
    if (is_floating(data.type.scalar)) {
        auto const bounds = representable(data.type.scalar, *fair);
        if (!bounds) return bounds.error();
        double const low = bounds->low, width = bounds->high - bounds->low, high = bounds->high;
        return with_real_stored(data.type.scalar, [&](auto stored) {
            return fill_from_stream<1>(data, how, [=](std::size_t, std::uint64_t const* numbers) {
                double const v = std::fma(unit_interval(*numbers), width, low);
                return stored(v < high ? v : high);
            });
        });
    }
    auto const range = integers_between(data.type.scalar, fair->low, fair->high);
    if (!range) return range.error();
    return with_integer_stored(data.type.scalar, [&](auto stored) {
        return fill_from_stream<1>(
            data, how, [=, all = *range](std::size_t, std::uint64_t const* numbers) {
                return stored(all.first + below(all.count, *numbers));
            });
    });
}

result<void> fill(argument_data& data, normal n, drawing const& how) {
    // Ten standard deviations are more than the generator ever goes.
    if (!std::isfinite(std::fabs(n.mean) + 10 * n.stddev) || n.stddev < 0)
        return bad_distribution("the parameters of a normal distribution are not usable",
                                "Give a finite mean and a finite stddev that is not negative.");
    scalar_type const t = data.type.scalar;
    auto const value = [=](std::uint64_t const* numbers) {
        return std::fma(standard_normal({numbers[0], numbers[1]}), n.stddev, n.mean);
    };
    if (is_floating(t)) {
        auto const bounds = representable(t, uniform{how.within.min, how.within.max});
        if (!bounds) return bounds.error();
        return with_real_stored(t, [&](auto stored) {
            return fill_from_stream<2>(
                data, how, [=, b = *bounds](std::size_t, std::uint64_t const* numbers) {
                    return stored(std::fmax(b.low, std::fmin(value(numbers), b.high)));
                });
        });
    }
    integer_limits const limits = limits_of(t);
    double const low = std::ceil(how.within.min), high = std::floor(how.within.max);
    if (auto const some = integers_between(t, low, high); !some) return some.error();
    auto const whole = [=](std::uint64_t const* numbers) {
        double const v = std::fmax(low, std::fmin(std::nearbyint(value(numbers)), high));
        if (v <= static_cast<double>(limits.low)) return static_cast<std::uint64_t>(limits.low);
        if (v >= static_cast<double>(limits.high)) return limits.high;
        return integer_bits(v);
    };
    return with_integer_stored(t, [&](auto stored) {
        return fill_from_stream<2>(data, how, [=](std::size_t, std::uint64_t const* numbers) {
            return stored(whole(numbers));
        });
    });
}

result<void> fill(argument_data& data, constant c, drawing const& how) {
    if (!std::isfinite(c.value))
        return bad_distribution("a constant is not finite", "Give a finite number.");
    if (!how.within.holds(c.value))
        return bad_distribution("the constant " + significant(c.value) +
                                    " is outside of the argument's domain",
                                "Give a value inside.");
    if (is_floating(data.type.scalar)) {
        if (!std::isfinite(rounded_to(data.type.scalar, c.value)))
            return bad_distribution("the constant " + significant(c.value) + " does not fit " +
                                        std::string(to_string(data.type.scalar)),
                                    "Give a number that the argument's type can hold.");
        return for_each_lane(data, how, [&](std::size_t lane) { store_real(data, lane, c.value); });
    }
    auto const range = integers_between(data.type.scalar, c.value, c.value);
    if (!range) return range.error();
    return for_each_lane(
        data, how, [&](std::size_t lane) { store_integer(data, lane, range->first); });
}

result<void> fill(argument_data& data, indices const& i, drawing const& how) {
    auto const end = i.below.evaluate_integer(how.scope);
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
    if (!how.within.holds(0) || !how.within.holds(static_cast<double>(*end - 1)))
        return bad_distribution("indices below " + std::to_string(*end) +
                                    " are outside the argument's domain",
                                "Give a bound that keeps them inside.");
    auto const count = static_cast<std::uint64_t>(*end);
    auto const index = [=](std::uint64_t const* numbers) { return below(count, *numbers); };
    if (is_floating(t))
        return with_real_stored(t, [&](auto stored) {
            return fill_from_stream<1>(data, how, [=](std::size_t, std::uint64_t const* numbers) {
                return stored(static_cast<double>(index(numbers)));
            });
        });
    return with_integer_stored(t, [&](auto stored) {
        return fill_from_stream<1>(data, how, [=](std::size_t, std::uint64_t const* numbers) {
            return stored(index(numbers));
        });
    });
}

result<void> draw_on_threads(unsigned threads,
                             argument_data& data,
                             distribution const& how,
                             expression_scope const& scope,
                             random_stream const& stream,
                             call_context const& context,
                             value_bounds const& within) {
    drawing run{scope, stream, within, threads, context.stop};
    if (is_half_byte(data.type.scalar))
        return drawn_as_bytes(
            data, within, [&](argument_data& whole, value_bounds own) -> result<void> {
                run.within = own;
                auto const* const u = std::get_if<uniform>(&how);
                if (u == nullptr || !is_floating(data.type.scalar))
                    return std::visit([&](auto const& d) { return fill(whole, d, run); }, how);
                auto const between = representable(data.type.scalar, *u);
                return between ? fill(whole, *between, run) : result<void>(between.error());
            });
    return std::visit([&](auto const& d) { return fill(data, d, run); }, how);
}
} // namespace detail

value_bounds bounds_of(argument_spec const& spec) {
    value_bounds const none;
    return {spec.min.value_or(none.min), spec.max.value_or(none.max)};
}

result<void> draw(argument_data& data,
                  distribution const& how,
                  expression_scope const& scope,
                  random_stream const& stream,
                  call_context const& context,
                  value_bounds const& within) {
    return detail::draw_on_threads(
        detail::threads_to_draw(data.lanes()), data, how, scope, stream, context, within);
}

} // namespace lkt
