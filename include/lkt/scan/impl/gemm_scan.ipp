// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/string_tools.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/scan/gemm_scan.hpp>

#include <algorithm>
#include <charconv>
#include <set>
#include <unordered_set>
#include <utility>

namespace lkt {

namespace detail::scan {

inline constexpr std::size_t most_numbers = 100'000;
inline constexpr std::string_view axis_names[] = {"M", "N", "K"};

inline std::optional<std::int64_t> scan_number_in(std::string_view text) {
    text = trimmed(text);
    std::int64_t value = 0;
    auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

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

inline result<number_range> one_range(std::string_view part) {
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
    if (r.first < 1) return range_error(part, "extents are at least 1");
    if (r.last > most_extent) return range_error(part, "extents are at most 2147483647");
    if (r.last < r.first) return range_error(part, "its end is below its begin");
    return r;
}

} // namespace detail::scan

result<std::vector<std::int64_t>> parse_range(std::string_view text) {
    std::vector<std::int64_t> numbers;
    std::unordered_set<std::int64_t> seen;
    for (std::string_view rest = text;;) {
        auto const comma = rest.find(',');
        auto const range = detail::scan::one_range(trimmed(rest.substr(0, comma)));
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

namespace detail::scan {

inline std::vector<std::string_view> columns_of(std::string_view line) {
    std::vector<std::string_view> columns;
    bool const commas = line.find_first_of(",;") != line.npos;
    auto const separators = commas ? std::string_view(",;") : std::string_view(" \t");
    for (std::string_view rest = line; !trimmed(rest).empty();) {
        if (!commas) rest = trimmed(rest);
        auto const end = rest.find_first_of(separators);
        columns.push_back(trimmed(rest.substr(0, end)));
        if (end == rest.npos) break;
        rest.remove_prefix(end + 1);
    }
    return columns;
}

/// Where M, N and K stand, if this is a line of names.
inline std::optional<std::array<std::size_t, 3>>
named_columns(std::vector<std::string_view> const& columns) {
    std::array<std::size_t, 3> found{};
    for (std::size_t a = 0; a < 3; ++a) {
        auto const at = std::find_if(columns.begin(), columns.end(), [&](std::string_view name) {
            if (name.size() > 2 && name.front() == '"') name = name.substr(1, name.size() - 2);
            return name.size() == 1 && (name[0] | 0x20) == (axis_names[a][0] | 0x20);
        });
        if (at == columns.end()) return std::nullopt;
        found[a] = static_cast<std::size_t>(at - columns.begin());
    }
    return found;
}

inline error no_shape(std::size_t line, std::string why) {
    return {condition::rejected,
            "lkt.scan.shapes",
            "line " + std::to_string(line) + ": " + std::move(why),
            "write M N K on each line, or a first line that names the columns m, n and k"};
}

} // namespace detail::scan

result<std::vector<gemm_shape>> parse_shapes(std::string_view text) {
    using namespace detail::scan;
    std::vector<gemm_shape> shapes;
    std::array<std::size_t, 3> where{0, 1, 2};
    std::size_t number = 0;
    for (bool first = true; !text.empty();) {
        auto const end = text.find('\n');
        auto line = text.substr(0, end);
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
        ++number;
        line = trimmed(line.substr(0, line.find('#')));
        if (line.empty()) continue;
        auto const columns = columns_of(line);
        if (std::exchange(first, false))
            if (auto const named = named_columns(columns)) {
                where = *named;
                continue;
            }
        std::array<std::int64_t, 3> extents{};
        for (std::size_t a = 0; a < 3; ++a) {
            if (where[a] >= columns.size())
                return no_shape(number, "there is no " + std::string(axis_names[a]));
            auto const value = scan_number_in(columns[where[a]]);
            if (!value || *value < 1 || *value > most_extent)
                return no_shape(number,
                                in_backticks(columns[where[a]]) + " is no extent for " +
                                    std::string(axis_names[a]));
            extents[a] = *value;
        }
        shapes.push_back({extents[0], extents[1], extents[2]});
    }
    return shapes;
}

result<scan_axis> scan_axis::parse(std::string_view text) {
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
    auto values = parse_range(text);
    if (!values) return values.error();
    axis.values = std::move(*values);
    return axis;
}

result<gemm_scan> gemm_scan::over(scan_axis m, scan_axis n, scan_axis k) {
    gemm_scan scan;
    scan.axes_ = {std::move(m), std::move(n), std::move(k)};
    auto const wrong = [](std::string why) {
        return error{
            condition::rejected,
            "lkt.scan.axes",
            std::move(why),
            "give numbers to at least one of M, N and K, and compute the others from them"};
    };
    bool grows = false;
    for (std::size_t a = 0; a < 3; ++a) {
        auto const& axis = scan.axes_[a];
        grows = grows || !axis.formula;
        if (!axis.formula && axis.values.empty())
            return error{condition::rejected,
                         "lkt.scan.empty",
                         "the scan has no value for " + std::string(detail::scan::axis_names[a]),
                         {}};
        if (!axis.formula) continue;
        for (std::string const& name : axis.formula->names()) {
            auto const at = std::find(
                std::begin(detail::scan::axis_names), std::end(detail::scan::axis_names), name);
            if (at == std::end(detail::scan::axis_names) ||
                scan.axes_[static_cast<std::size_t>(at - std::begin(detail::scan::axis_names))]
                    .formula)
                return wrong("the expression for " + std::string(detail::scan::axis_names[a]) +
                             " needs " + in_backticks(name) + ", which has no numbers");
        }
    }
    if (!grows) return wrong("all extents are expressions");
    return scan;
}

result<gemm_scan> gemm_scan::of(std::vector<gemm_shape> shapes) {
    gemm_scan scan;
    std::set<gemm_shape> seen;
    for (gemm_shape const& shape : shapes)
        if (seen.insert(shape).second) scan.list_.push_back(shape);
    scan.dropped_ = shapes.size() - scan.list_.size();
    if (scan.list_.empty())
        return error{condition::rejected, "lkt.scan.empty", "the list has no shape", {}};
    return scan;
}

std::size_t gemm_scan::shapes() const {
    if (!list_.empty()) return list_.size();
    std::size_t count = 1;
    for (scan_axis const& axis : axes_)
        if (!axis.formula) count *= axis.values.size();
    return count;
}

result<gemm_shape> gemm_scan::shape_at(std::size_t index) const {
    if (!list_.empty()) return list_[index];
    std::array<std::int64_t, 3> extents{};
    problem_size known;
    for (std::size_t a = 3; a-- > 0;) {
        auto const& axis = axes_[a];
        if (axis.formula) continue;
        extents[a] = axis.values[index % axis.values.size()];
        index /= axis.values.size();
        known.emplace_back(std::string(detail::scan::axis_names[a]), extents[a]);
    }
    for (std::size_t a = 0; a < 3; ++a) {
        if (!axes_[a].formula) continue;
        auto const value = axes_[a].formula->evaluate_integer(scope_of(known, {}));
        if (!value) return value.error();
        extents[a] = *value;
    }
    return gemm_shape{extents[0], extents[1], extents[2]};
}

result<gemm_spec> gemm_scan::at(std::size_t index) const {
    auto const count = shapes();
    auto const shape = shape_at(index % count);
    if (!shape) return shape.error();
    gemm_draft draft = rest;
    draft.m = shape->m;
    draft.n = shape->n;
    draft.k = shape->k;
    index /= count;
    if (!layouts.empty()) {
        auto const& l = layouts[index % layouts.size()];
        draft.a = l[0];
        draft.b = l[1];
        draft.c = l[2];
        index /= layouts.size();
    }
    if (!types.empty()) draft.type = types[index % types.size()];
    if (gap != 0) {
        using detail::scan::tight;
        if (draft.stride_a == 0) draft.stride_a = tight(draft.m, draft.k, draft.a) + gap;
        if (draft.stride_b == 0) draft.stride_b = tight(draft.k, draft.n, draft.b) + gap;
        if (draft.stride_c == 0) draft.stride_c = tight(draft.m, draft.n, draft.c) + gap;
    }
    return gemm_spec::make(draft);
}

result<std::array<matrix_layout, 3>> parse_layouts(std::string_view text) {
    std::array<matrix_layout, 3> found{};
    auto const words = text.find(',') == text.npos ? std::vector<std::string_view>()
                                                   : detail::scan::columns_of(text);
    auto const layout = [](std::string_view word) -> std::optional<matrix_layout> {
        if (word == "row" || word == "r") return matrix_layout::row;
        if (word == "column" || word == "col" || word == "c") return matrix_layout::column;
        return std::nullopt;
    };
    bool good = words.empty() ? text.size() == 3 : words.size() == 3;
    for (std::size_t i = 0; good && i < 3; ++i) {
        auto const one = layout(words.empty() ? text.substr(i, 1) : words[i]);
        good = one.has_value();
        if (good) found[i] = *one;
    }
    if (good) return found;
    return error{condition::rejected,
                 "lkt.scan.layout",
                 in_backticks(text) + " does not name the layouts of A, B and C",
                 "write rrr, rcr, ... or row,column,row"};
}

} // namespace lkt
