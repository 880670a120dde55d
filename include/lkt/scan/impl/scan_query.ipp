// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/near_name.hpp>
#include <lkt/core/plain_text.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/lang/expression/expression.hpp>
#include <lkt/scan/detail/markdown_cell.hpp>
#include <lkt/scan/detail/spec_records.hpp>
#include <lkt/scan/scan_query.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace lkt {

namespace detail::scan {

/// Nothing wrong: some row can have a field of this name.
inline std::optional<error> no_field(std::string const& name) {
    static std::vector<std::string> const names = field_names(row_of_each_operation());
    if (std::find(names.begin(), names.end(), name) != names.end()) return std::nullopt;
    std::string listed;
    for (std::string const& one : names) listed += (listed.empty() ? "" : ", ") + one;
    return error{condition::rejected,
                 "lkt.scan.field",
                 "results have no field " + in_backticks(name) + did_you_mean(name, listed),
                 "fields: " + listed};
}

/// Absent: not known, or no field of the row's operation.
inline std::optional<parameter_value>
field_of(std::vector<std::pair<std::string, std::optional<parameter_value>>> const& fields,
         std::string const& name) {
    for (auto const& [key, value] : fields)
        if (key == name) return value;
    return std::nullopt;
}

} // namespace detail::scan

result<scan_table> rows_where(scan_table const& table, std::string_view condition) {
    auto const wanted = expression::parse(condition);
    if (!wanted) return wanted.error();
    auto const& used = wanted->names();
    for (std::string const& name : used)
        if (auto wrong = detail::scan::no_field(name)) return *wrong;
    scan_table found;
    for (scan_row const& row : table) {
        auto const fields = record_fields(row);
        expression_scope scope;
        for (std::string const& name : used)
            if (auto value = detail::scan::field_of(fields, name))
                scope.values.emplace_back(name, std::move(*value));
        if (scope.values.size() < used.size()) continue;
        auto const met = wanted->evaluate_condition(scope);
        if (!met) return met.error();
        if (*met) found.push_back(row);
    }
    return found;
}

result<scan_groups> group_by_fields(scan_table const& table, std::vector<std::string> fields) {
    for (std::string const& name : fields)
        if (auto wrong = detail::scan::no_field(name)) return *wrong;
    std::map<std::vector<std::optional<parameter_value>>, scan_table> rows;
    for (scan_row const& row : table) {
        if (!row.measured()) continue;
        auto const all = record_fields(row);
        std::vector<std::optional<parameter_value>> key;
        for (std::string const& name : fields) key.push_back(detail::scan::field_of(all, name));
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
