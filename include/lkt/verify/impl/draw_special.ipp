// SPDX-License-Identifier: BSL-1.0
// Special values among others.
#pragma once

#include <lkt/verify/detail/drawing.hpp>
#include <lkt/verify/draw.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

namespace detail {

namespace drawing_parts {

std::string_view name_of(special_value v) {
    switch (v) {
    case special_value::nan:
        return "NaN";
    case special_value::infinity:
        return "infinity";
    case special_value::minus_infinity:
        return "minus infinity";
    case special_value::minus_zero:
        return "-0";
    case special_value::denormal:
        return "a denormal number";
    }
    return "it";
}

double number_of(special_value v, scalar_type t, value_bounds within) {
    double const infinity = std::numeric_limits<double>::infinity();
    switch (v) {
    case special_value::nan:
        return std::numeric_limits<double>::quiet_NaN();
    case special_value::infinity:
        return infinity;
    case special_value::minus_infinity:
        return -infinity;
    case special_value::minus_zero:
        return -0.0;
    case special_value::denormal:
        break;
    }
    double const small = smallest_normal(t) / 4;
    return within.holds(small) ? small : -small;
}

result<void> inject(argument_data& data, declared_fill const& how, drawing const& run) {
    scalar_type const t = data.type.scalar;
    if (how.inject.empty() || data.lanes() == 0) return {};
    if (!(how.fraction >= 0 && how.fraction <= 1))
        return bad_distribution("the fraction of injected values is not between 0 and 1",
                                "Give the share of the elements that are replaced.");
    std::vector<double> values;
    for (special_value const v : how.inject) {
        double const number = number_of(v, t, run.within);
        if (is_floating(t) &&
            (run.within == value_bounds{} || (std::isfinite(number) && run.within.holds(number)))) {
            values.push_back(number);
            continue;
        }
        return bad_distribution(std::string(name_of(v)) +
                                    (is_floating(t)
                                         ? " is outside of the argument's domain"
                                         : " is not a value of " + std::string(to_string(t))),
                                "Remove it from `inject`, or remove the domain.");
    }
    auto const share = static_cast<std::size_t>(how.fraction * static_cast<double>(data.lanes()));
    std::size_t const count = std::min(data.lanes(), std::max(share, values.size()));
    // One in each of `count` parts of the buffer, so that no two meet.
    random_stream const places = run.other_stream();
    for (std::size_t k = 0; k < count; ++k) {
        std::uint64_t const from = share_begin(data.lanes(), count, k);
        std::uint64_t const room = share_begin(data.lanes(), count, k + 1) - from;
        store_real(data, from + below(room, places.bits(k)), values[k % values.size()]);
    }
    return {};
}

} // namespace drawing_parts

} // namespace detail

result<void> draw(argument_data& data,
                  declared_fill const& how,
                  expression_scope const& scope,
                  random_stream const& stream,
                  call_context const& context,
                  value_bounds const& within) {
    if (auto ok = draw(data, how.fill, scope, stream, context, within); !ok) return ok;
    return detail::drawing_parts::inject(
        data, how, detail::drawing{scope, stream, within, 1, context.stop});
}

} // namespace lkt
