// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/near_name.hpp>
#include <lkt/core/plain_text.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/lang/expression/expression.hpp>
#include <lkt/scan/detail/markdown_cell.hpp>
#include <lkt/scan/scan_query.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace lkt {

namespace detail::scan {

/// Where a field is in `record_fields`.
inline result<std::size_t> field_called(std::string const& name) {
    static std::vector<std::string> const names = [] {
        std::vector<std::string> all;
        scan_row const any{.spec = gemm_spec::of<gemm_draft{.m = 1, .n = 1, .k = 1}>()};
        for (auto& [key, value] : record_fields(any)) all.push_back(std::move(key));
        return all;
    }();
    auto const at = std::find(names.begin(), names.end(), name);
    if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
    std::string listed;
    for (std::string const& one : names) listed += (listed.empty() ? "" : ", ") + one;
    return error{condition::rejected,
                 "lkt.scan.field",
                 "results have no field " + in_backticks(name) + did_you_mean(name, listed),
                 "fields: " + listed};
}

} // namespace detail::scan

result<scan_table> rows_where(scan_table const& table, std::string_view condition) {
    auto const wanted = expression::parse(condition);
    if (!wanted) return wanted.error();
    std::vector<std::size_t> used;
    for (std::string const& name : wanted->names()) {
        auto const at = detail::scan::field_called(name);
        if (!at) return at.error();
        used.push_back(*at);
    }
    scan_table found;
    for (scan_row const& row : table) {
        auto fields = record_fields(row);
        expression_scope scope;
        for (std::size_t const at : used)
            if (fields[at].second)
                scope.values.emplace_back(fields[at].first, std::move(*fields[at].second));
        if (scope.values.size() < used.size()) continue;
        auto const met = wanted->evaluate_condition(scope);
        if (!met) return met.error();
        if (*met) found.push_back(row);
    }
    return found;
}

result<scan_groups> group_by_fields(scan_table const& table, std::vector<std::string> fields) {
    std::vector<std::size_t> used;
    for (std::string const& name : fields) {
        auto const at = detail::scan::field_called(name);
        if (!at) return at.error();
        used.push_back(*at);
    }
    std::map<std::vector<std::optional<parameter_value>>, scan_table> rows;
    for (scan_row const& row : table) {
        if (!row.measured()) continue;
        auto const all = record_fields(row);
        std::vector<std::optional<parameter_value>> key;
        for (std::size_t const at : used) key.push_back(all[at].second);
        rows[std::move(key)].push_back(row);
    }
    scan_groups made{std::move(fields), {}};
    for (auto const& [values, of_group] : rows)
        made.groups.push_back(
            {values, group_by(of_group, [](scan_row const&) { return std::string(); }).at({})});
    return made;
}

std::string to_markdown(scan_groups const& groups) {
    std::string text = "|", line = "|";
    for (std::string const& field : groups.fields) {
        text += ' ' + field + " |";
        line += "---|";
    }
    text += " rows | least | mean | most | deviation (TFLOP/s) | of the roof at most |\n" + line +
            "---|---|---|---|---|---|\n";
    for (scan_group const& g : groups.groups) {
        text += '|';
        for (auto const& value : g.values)
            text += ' ' + (value ? detail::scan::table_cell(definition_text(*value)) : "") + " |";
        auto const& s = g.summary;
        text += ' ' + std::to_string(s.rows) + " |";
        for (flop_rate const rate : {s.least, s.mean, s.most, s.deviation})
            text += ' ' + significant(rate / teraflop_per_second) + " |";
        text += ' ' + detail::scan::percent(s.share) + " |\n";
    }
    return text;
}

} // namespace lkt
