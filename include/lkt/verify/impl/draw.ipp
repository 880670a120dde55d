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
        return for_each_lane(data, how, [&] {
            return [&, bits = bits_reader(how.stream)](std::size_t lane) mutable {
                double const v = std::fma(unit_interval(bits(lane)), width, low);
                store_real(data, lane, std::fmin(v, high));
            };
        });
    }
    auto const range = integers_between(data.type.scalar, fair->low, fair->high);
    if (!range) return range.error();
    return for_each_lane(data, how, [&] {
        return [&, bits = bits_reader(how.stream)](std::size_t lane) mutable {
            store_integer(data, lane, range->first + below(range->count, bits(lane)));
        };
    });
}

result<void> fill(argument_data& data, normal n, drawing const& how) {
    // Ten standard deviations are more than the generator ever goes.
    if (!std::isfinite(std::fabs(n.mean) + 10 * n.stddev) || n.stddev < 0)
        return bad_distribution("the parameters of a normal distribution are not usable",
                                "Give a finite mean and a finite stddev that is not negative.");
    scalar_type const t = data.type.scalar;
    auto const value = [&](std::size_t lane) {
        return std::fma(standard_normal(how.stream.block(lane)), n.stddev, n.mean);
    };
    if (is_floating(t)) {
        auto const bounds = representable(t, uniform{how.within.least, how.within.most});
        if (!bounds) return bounds.error();
        return for_each_lane(data, how, [&] {
            return [&](std::size_t lane) {
                store_real(
                    data, lane, std::fmax(bounds->low, std::fmin(value(lane), bounds->high)));
            };
        });
    }
    auto const [least, most] = limits_of(t);
    double const low = std::ceil(how.within.least), high = std::floor(how.within.most);
    if (auto const some = integers_between(t, low, high); !some) return some.error();
    auto const put = [&](std::size_t lane) {
        double const v = std::fmax(low, std::fmin(std::nearbyint(value(lane)), high));
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
        return for_each_lane(
            data, how, [&] { return [&](std::size_t lane) { store_real(data, lane, c.value); }; });
    }
    auto const range = integers_between(data.type.scalar, c.value, c.value);
    if (!range) return range.error();
    return for_each_lane(data, how, [&] {
        return [&](std::size_t lane) { store_integer(data, lane, range->first); };
    });
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
                                    " leave the argument's domain",
                                "Give a bound that keeps them inside.");
    auto const count = static_cast<std::uint64_t>(*end);
    return for_each_lane(data, how, [&] {
        return [&, bits = bits_reader(how.stream)](std::size_t lane) mutable {
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
                             call_context const& context,
                             value_bounds const& within) {
    drawing const run{scope, stream, within, threads, context.stop};
    return std::visit([&](auto const& d) { return fill(data, d, run); }, how);
}
} // namespace detail

value_bounds bounds_of(argument_spec const& spec) {
    value_bounds const none;
    return {spec.least.value_or(none.least), spec.most.value_or(none.most)};
}

result<void> draw(argument_data& data,
                  distribution const& how,
                  expression_scope const& scope,
                  random_stream const& stream,
                  call_context const& context,
                  value_bounds const& within) {
    return detail::draw_on_threads(
        detail::threads_for(data.lanes()), data, how, scope, stream, context, within);
}

} // namespace lkt
