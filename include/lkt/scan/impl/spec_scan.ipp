// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/near_name.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/scan/detail/scan_words.hpp>
#include <lkt/scan/spec_scan.hpp>

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

namespace lkt {

namespace detail::scan {

/// An extent, whatever the operation.
struct any_extent {
    std::string_view name;
    bool needed;
    std::int64_t least;
};

/// Calls `f` with the spec's type of a draft's operation.
template <class F>
auto with_spec(scan_draft const& draft, F const& f) {
    if (std::holds_alternative<gemm_draft>(draft)) return f.template operator()<gemm_spec>();
    if (std::holds_alternative<convolution_draft>(draft))
        return f.template operator()<convolution_spec>();
    return f.template operator()<elementwise_spec>();
}

inline std::vector<any_extent> extents_of(scan_draft const& draft) {
    return with_spec(draft, []<class S>() {
        std::vector<any_extent> all;
        for (auto const& e : S::extents) all.push_back({e.name, e.needed, e.least});
        return all;
    });
}

/// `M, N, K`: those that are needed, or all.
inline std::string listed(std::vector<any_extent> const& extents, bool all) {
    std::string text;
    for (any_extent const& e : extents)
        if (all || e.needed) text += (text.empty() ? "" : ", ") + std::string(e.name);
    return text;
}

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

/// Which extent each column is of, if this is a line of names; for other columns, none.
inline std::optional<std::vector<std::optional<std::size_t>>>
named_columns(std::vector<std::string_view> const& columns,
              std::vector<any_extent> const& extents) {
    std::vector<std::optional<std::size_t>> found(columns.size());
    std::vector<bool> seen(extents.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        auto name = columns[i];
        if (name.size() > 2 && name.front() == '"') name = name.substr(1, name.size() - 2);
        for (std::size_t e = 0; e < extents.size(); ++e)
            if (!seen[e] && same_name(extents[e].name, name)) {
                found[i] = e;
                seen[e] = true;
                break;
            }
    }
    for (std::size_t e = 0; e < extents.size(); ++e)
        if (extents[e].needed && !seen[e]) return std::nullopt;
    return found;
}

inline error no_shape(std::size_t line, std::string why, std::vector<any_extent> const& extents) {
    return {condition::rejected,
            "lkt.scan.shapes",
            "line " + std::to_string(line) + ": " + std::move(why),
            "write " + listed(extents, false) +
                " on each line, or a first line that names the columns"};
}

} // namespace detail::scan

result<scan_shapes> parse_shapes(std::string_view text, scan_draft const& draft) {
    using namespace detail::scan;
    auto const extents = extents_of(draft);
    std::vector<std::optional<std::size_t>> where;
    for (std::size_t e = 0; e < extents.size(); ++e)
        if (extents[e].needed) where.emplace_back(e);
    scan_shapes shapes;
    std::size_t number = 0;
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3); // as spreadsheets begin files
    for (bool first = true; !text.empty();) {
        auto const end = text.find('\n');
        auto line = text.substr(0, end);
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
        ++number;
        line = trimmed(line.substr(0, line.find('#')));
        if (line.empty()) continue;
        auto const columns = columns_of(line);
        bool const names = std::exchange(first, false);
        if (auto named = names ? named_columns(columns, extents) : std::nullopt) {
            where = std::move(*named);
            continue;
        }
        auto& row = shapes.rows.emplace_back();
        for (std::size_t i = 0; i < where.size(); ++i) {
            if (!where[i]) continue;
            auto const& extent = extents[*where[i]];
            if (i >= columns.size())
                return no_shape(number, "there is no " + std::string(extent.name), extents);
            auto const value = scan_number_in(columns[i]);
            if (!value || *value < extent.least || *value > most_extent)
                return no_shape(number,
                                in_backticks(columns[i]) + " is no extent for " +
                                    std::string(extent.name),
                                extents);
            row.push_back(*value);
        }
    }
    for (auto const& e : where)
        if (e) shapes.names.emplace_back(extents[*e].name);
    return shapes;
}

namespace detail::scan {

inline error bad_axes(std::string why, std::string hint) {
    return {condition::rejected, "lkt.scan.axes", std::move(why), std::move(hint)};
}

} // namespace detail::scan

result<named_axis> parse_axis(std::string_view text, scan_draft const& draft) {
    using namespace detail::scan;
    auto const extents = extents_of(draft);
    auto const equals = text.find('=');
    auto const name = trimmed(text.substr(0, equals));
    for (any_extent const& e : extents) {
        if (equals == text.npos || !same_name(e.name, name)) continue;
        auto axis = scan_axis::parse(trimmed(text.substr(equals + 1)), e.least);
        if (!axis) return axis.error();
        return named_axis{std::string(e.name), std::move(*axis)};
    }
    return bad_axes(in_backticks(text) + " names no extent",
                    "write NAME=RANGE with one of " + listed(extents, true));
}

result<spec_scan> spec_scan::with(std::vector<std::string> const& names,
                                  std::vector<scan_draft> drafts) {
    using namespace detail::scan;
    if (drafts.empty())
        return error{condition::rejected, "lkt.scan.empty", "the scan has no draft", {}};
    for (scan_draft const& draft : drafts)
        if (draft.index() != drafts[0].index())
            return bad_axes("the drafts of a scan are of several operations",
                            "make a scan for each operation");
    auto const extents = extents_of(drafts[0]);
    spec_scan scan;
    scan.drafts_ = std::move(drafts);
    for (std::string const& name : names) {
        auto const at = std::find_if(extents.begin(), extents.end(), [&](any_extent const& e) {
            return same_name(e.name, name);
        });
        auto const place = static_cast<std::size_t>(at - extents.begin());
        if (at == extents.end())
            return bad_axes("there is no extent " + in_backticks(name),
                            "extents: " + listed(extents, true));
        if (std::find(scan.places_.begin(), scan.places_.end(), place) != scan.places_.end())
            return bad_axes("the extent " + in_backticks(at->name) + " is given twice",
                            "write its numbers with commas: 64,128");
        scan.places_.push_back(place);
    }
    for (std::size_t e = 0; e < extents.size(); ++e)
        if (extents[e].needed &&
            std::find(scan.places_.begin(), scan.places_.end(), e) == scan.places_.end())
            return bad_axes("the extent " + in_backticks(extents[e].name) + " has no numbers",
                            "needed are " + listed(extents, false));
    return scan;
}

result<spec_scan> spec_scan::over(std::vector<named_axis> axes, std::vector<scan_draft> drafts) {
    using namespace detail::scan;
    std::vector<std::string> names;
    for (named_axis const& one : axes) names.push_back(one.name);
    auto scan = with(names, std::move(drafts));
    if (!scan) return scan;
    auto const extents = extents_of(scan->drafts_[0]);
    // In the order of the extents, whatever that of the axes is.
    std::vector<std::size_t> order(axes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return scan->places_[a] < scan->places_[b];
    });
    std::vector<std::string_view> numbered;
    for (std::size_t const i : order) {
        auto const name = extents[scan->places_[i]].name;
        scan->axes_.push_back(std::move(axes[i].axis));
        if (scan->axes_.back().formula) continue;
        numbered.push_back(name);
        if (scan->axes_.back().values.empty())
            return error{condition::rejected,
                         "lkt.scan.empty",
                         "the scan has no value for " + std::string(name),
                         {}};
    }
    std::sort(scan->places_.begin(), scan->places_.end());
    constexpr char hint[] = "give numbers to at least one extent, and compute others from these";
    if (numbered.empty()) return bad_axes("all extents are expressions", hint);
    for (std::size_t i = 0; i < scan->axes_.size(); ++i) {
        if (!scan->axes_[i].formula) continue;
        for (std::string const& name : scan->axes_[i].formula->names())
            if (std::find(numbered.begin(), numbered.end(), name) == numbered.end())
                return bad_axes("the expression for " +
                                    std::string(extents[scan->places_[i]].name) + " needs " +
                                    in_backticks(name) + ", which has no numbers" +
                                    did_you_mean(name, numbered),
                                hint);
    }
    return scan;
}

result<spec_scan> spec_scan::of(scan_shapes shapes, std::vector<scan_draft> drafts) {
    auto scan = with(shapes.names, std::move(drafts));
    if (!scan) return scan;
    std::set<std::vector<std::int64_t>> seen;
    for (auto& row : shapes.rows)
        if (seen.insert(row).second) scan->list_.push_back(std::move(row));
    for (auto const& row : scan->list_)
        if (row.size() != scan->places_.size())
            return detail::scan::bad_axes("a shape has more or fewer numbers than names",
                                          "give each row a number for each name");
    scan->dropped_ = shapes.rows.size() - scan->list_.size();
    if (scan->list_.empty())
        return error{condition::rejected, "lkt.scan.empty", "the list has no shape", {}};
    return scan;
}

std::size_t spec_scan::shapes() const {
    if (!list_.empty()) return list_.size();
    std::size_t count = 1;
    for (scan_axis const& axis : axes_)
        if (!axis.formula) count *= axis.values.size();
    return count;
}

result<void> spec_scan::set_shape(scan_draft& draft, std::size_t index) const {
    using namespace detail::scan;
    auto const extents = extents_of(draft);
    std::vector<std::int64_t> values(places_.size());
    if (!list_.empty()) {
        values = list_[index];
    } else {
        problem_size known;
        for (std::size_t i = axes_.size(); i-- > 0;) {
            if (axes_[i].formula) continue;
            values[i] = axes_[i].values[index % axes_[i].values.size()];
            index /= axes_[i].values.size();
            known.emplace_back(std::string(extents[places_[i]].name), values[i]);
        }
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            if (!axes_[i].formula) continue;
            auto const value = axes_[i].formula->evaluate_integer(scope_of(known, {}));
            if (!value) return value.error();
            values[i] = *value;
        }
    }
    with_spec(draft, [&]<class S>() {
        auto& own = std::get<typename S::draft_type>(draft);
        for (std::size_t i = 0; i < values.size(); ++i) own.*S::extents[places_[i]].at = values[i];
    });
    return {};
}

result<scan_spec> spec_scan::at(std::size_t index) const {
    auto draft = drafts_[index / shapes()];
    if (auto set = set_shape(draft, index % shapes()); !set) return set.error();
    return scan_spec::make(draft);
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
