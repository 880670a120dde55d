// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/string_tools.hpp>
#include <lkt/scan/detail/scan_words.hpp>
#include <lkt/scan/gemm_spec.hpp>
#include <lkt/scan/scan_axis.hpp>

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

namespace lkt {

namespace detail::scan {

inline constexpr std::size_t most_numbers = 100'000;

inline error range_error(std::string_view part, std::string why) {
    return {condition::rejected,
            "lkt.scan.range",
            in_backticks(part) + " is no range: " + std::move(why),
            "write numbers (1,2,5), steps (128..1024:+128) or factors (1..16384:x2)"};
}

struct number_range {
    std::int64_t first = 0, last = 0, by = 1;
    bool times = false;
};

inline result<number_range> one_range(std::string_view part, std::int64_t least) {
    number_range r;
    auto const dots = part.find("..");
    auto const first = scan_number_in(part.substr(0, dots));
    if (!first) return range_error(part, "it does not begin with a number");
    r.first = r.last = *first;
    if (dots != part.npos) {
        auto rest = part.substr(dots + 2);
        auto const colon = rest.find(':');
        auto const last = scan_number_in(rest.substr(0, colon));
        if (!last) return range_error(part, "no number stands behind the dots");
        r.last = *last;
        if (colon != rest.npos) {
            auto const step = trimmed(rest.substr(colon + 1));
            r.times = step.starts_with('x') || step.starts_with('*');
            auto const by = step.empty() || (!r.times && step[0] != '+')
                                ? std::nullopt
                                : scan_number_in(step.substr(1));
            if (!by || *by < (r.times ? 2 : 1))
                return range_error(part, "a step is +N with N at least 1, or xN with N at least 2");
            r.by = *by;
        }
    }
    if (r.first < least) return range_error(part, "it has numbers below " + std::to_string(least));
    if (r.first < 1 && r.times) return range_error(part, "factors begin at 1");
    if (r.last > most_extent) return range_error(part, "extents are at most 2147483647");
    if (r.last < r.first) return range_error(part, "its end is below its begin");
    return r;
}

} // namespace detail::scan

result<std::vector<std::int64_t>> parse_range(std::string_view text, std::int64_t least) {
    std::vector<std::int64_t> numbers;
    std::unordered_set<std::int64_t> seen;
    for (std::string_view rest = text;;) {
        auto const comma = rest.find(',');
        auto const range = detail::scan::one_range(trimmed(rest.substr(0, comma)), least);
        if (!range) return range.error();
        for (std::int64_t n = range->first; n <= range->last;
             n = range->times ? n * range->by : n + range->by) {
            if (seen.insert(n).second) numbers.push_back(n);
            if (numbers.size() > detail::scan::most_numbers)
                return detail::scan::range_error(text, "it has more than 100,000 numbers");
            // Both are below 2^31, so that neither sum nor product overflows.
        }
        if (comma == rest.npos) return numbers;
        rest.remove_prefix(comma + 1);
    }
}

result<scan_axis> scan_axis::parse(std::string_view text, std::int64_t least) {
    scan_axis axis;
    // A range may hold an `x`, an expression has a name.
    bool const named = std::any_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z' && c != 'x') || (c >= 'A' && c <= 'Z');
    });
    if (named) {
        auto formula = expression::parse(text);
        if (!formula) return formula.error();
        axis.formula = std::move(*formula);
        return axis;
    }
    auto values = parse_range(text, least);
    if (!values) return values.error();
    axis.values = std::move(*values);
    return axis;
}

} // namespace lkt
