// SPDX-License-Identifier: BSL-1.0
// Values of the library as JSON. Whoever includes it pays for Boost.JSON.
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/output_error.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/verify/branch_coverage.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace lkt::detail {

/// Seconds; null where there is no number (JSON has neither NaN nor infinity).
[[nodiscard]] inline boost::json::value to_json(seconds t) {
    if (!std::isfinite(t.count())) return nullptr;
    return t.count();
}

[[nodiscard]] inline boost::json::value to_json(parameter_value const& v) {
    return std::visit(
        [](auto const& x) -> boost::json::value {
            using type = std::remove_cvref_t<decltype(x)>;
            if constexpr (std::is_same_v<type, std::string>)
                return boost::json::string(x);
            else if constexpr (std::is_same_v<type, double>)
                return to_json(seconds(x));
            else
                return x;
        },
        v);
}

/// Where a wrong value or an access outside a buffer was seen; empty of other failures.
[[nodiscard]] boost::json::object evidence_json(failure const& f);

[[nodiscard]] inline boost::json::value to_json(configuration const& c) {
    boost::json::object o;
    for (auto const& [name, value] : c.values) o[name] = to_json(value);
    return o;
}

[[nodiscard]] inline boost::json::value to_json(std::vector<output_error> const& errors) {
    boost::json::array all;
    for (output_error const& e : errors)
        all.push_back({{"test", e.test},
                       {"output", e.output},
                       {"largest", e.largest},
                       {"mean", e.mean},
                       {"values", e.values}});
    return all;
}

/// Of which nothing is known: `total` is null.
[[nodiscard]] inline boost::json::value to_json(branch_coverage const& seen) {
    boost::json::array unreached;
    for (unreached_branch const& one : seen.unreached)
        unreached.push_back(boost::json::object{
            {"line", one.line}, {"text", one.text}, {"in_original", one.in_original}});
    boost::json::object o{
        {"total", nullptr}, {"unreached", std::move(unreached)}, {"unwatched", seen.unwatched}};
    if (seen.unknown.empty())
        o["total"] = seen.branches;
    else
        o["unknown"] = seen.unknown;
    return o;
}

} // namespace lkt::detail
