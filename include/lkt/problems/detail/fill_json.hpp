// SPDX-License-Identifier: BSL-1.0
// How problem files spell what a test is filled with. Needs Boost.JSON.
#pragma once

#include <lkt/kernel/problem.hpp>
#include <lkt/problems/detail/json_fields.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

namespace lkt::detail::problems {

/// A distribution's name and its parameters.
using named_fill = std::pair<char const*, json::object>;
inline named_fill fill_words(uniform d) { return {"uniform", {{"low", d.low}, {"high", d.high}}}; }
inline named_fill fill_words(normal d) {
    return {"normal", {{"mean", d.mean}, {"stddev", d.stddev}}};
}
inline named_fill fill_words(constant d) { return {"constant", {{"value", d.value}}}; }
inline named_fill fill_words(sparse d) { return {"sparse", {{"fraction", d.fraction}}}; }
inline named_fill fill_words(one_hot) { return {"one_hot", {}}; }
inline named_fill fill_words(spikes d) {
    return {"spikes", {{"low", d.low}, {"high", d.high}, {"fraction", d.fraction}}};
}
inline named_fill fill_words(alternating) { return {"alternating", {}}; }
inline named_fill fill_words(extremes) { return {"extremes", {}}; }
inline named_fill fill_words(permutation) { return {"permutation", {}}; }
inline named_fill fill_words(ascending) { return {"sorted", {}}; }
inline named_fill fill_words(cancellation d) {
    return {"cancellation",
            {{"magnitude", d.magnitude},
             {"residual_low", d.residual_low},
             {"residual_high", d.residual_high}}};
}

/// One argument of a declared test. `formula` writes an expression.
template <class Formula>
json::object fill_json(declared_fill const& f, Formula const& formula) {
    auto parameters = std::visit(
        [&](auto const& d) -> named_fill {
            if constexpr (std::is_same_v<decltype(d), indices const&>)
                return {"indices", {{"below", formula(d.below)}}};
            else
                return fill_words(d);
        },
        f.fill);
    json::object entry{{parameters.first, std::move(parameters.second)}};
    if (f.inject.empty()) return entry;
    constexpr char const* specials[] = {"nan", "inf", "-inf", "-0", "denormal"};
    json::array inject;
    for (special_value const v : f.inject)
        inject.push_back(json::string(specials[static_cast<std::size_t>(v)]));
    entry["inject"] = std::move(inject);
    entry["fraction"] = f.fraction;
    return entry;
}
} // namespace lkt::detail::problems
