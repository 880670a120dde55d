// SPDX-License-Identifier: BSL-1.0
// When failures say that trying on is hopeless, and what is tried before it is given up.
#pragma once

#include <lkt/evaluate/evaluation_options.hpp>
#include <lkt/evaluate/tried_configuration.hpp>
#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/search/space.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// Whether two failures are so alike that trying on is hopeless when nothing has worked yet.
[[nodiscard]] inline bool alike(failure const& a, failure const& b) {
    if (a.index() != b.index()) return false;
    if (auto const* x = std::get_if<compile_failed>(&a))
        return x->where.line == std::get<compile_failed>(b).where.line;
    return true;
}

/// A launch that never ends costs its whole limit each time: two of these are enough.
[[nodiscard]] inline int patience(failure const& f, evaluation_options const& o) {
    return std::holds_alternative<timed_out>(f) ? std::min(2, o.hopeless_after) : o.hopeless_after;
}

/// After failures that are all alike: the configuration with the most values that had no chance
/// yet, since one wrong value may be all that the failed ones have in common. A parameter of which
/// `enough` values failed had its chance. Nothing: all of them had.
[[nodiscard]] inline std::optional<configuration> with_new_values(
    search_space const& space, std::vector<tried_configuration> const& tried, std::size_t enough) {
    auto const& parameters = space.parameters();
    std::vector<std::vector<parameter_value>> seen(parameters.size());
    auto const is_new = [&](std::size_t p, parameter_value const& value) {
        return std::find(seen[p].begin(), seen[p].end(), value) == seen[p].end();
    };
    for (tried_configuration const& t : tried)
        for (std::size_t p = 0; p < seen.size(); ++p)
            if (auto const* value = t.config.find(parameters[p].name); value && is_new(p, *value))
                seen[p].push_back(*value);
    std::optional<configuration> best;
    std::size_t most = 0;
    auto walk = space.configurations();
    while (auto config = walk.next()) {
        std::size_t news = 0;
        for (std::size_t p = 0; p < seen.size(); ++p)
            news += seen[p].size() < enough && is_new(p, config->values[p].second) ? 1 : 0;
        if (news > most) most = news, best = std::move(config);
    }
    return best;
}

/// How far two configurations are apart: for each parameter the distance of its values in their
/// list, 1 from the first to the last.
[[nodiscard]] inline double
unlikeness(candidate const& k, configuration const& a, configuration const& b) {
    double sum = 0;
    for (tunable_parameter const& p : k.parameters) {
        auto const place = [&](configuration const& c) {
            auto const* const value = c.find(p.name);
            auto const at =
                value ? std::find(p.values.begin(), p.values.end(), *value) : p.values.end();
            return static_cast<double>(at - p.values.begin());
        };
        double const most = static_cast<double>(std::max<std::size_t>(2, p.values.size()) - 1);
        sum += std::abs(place(a) - place(b)) / most;
    }
    return sum;
}

} // namespace lkt::detail
