// SPDX-License-Identifier: BSL-1.0
#include "tables.hpp"

#include "errors.hpp"
#include "spaces.hpp"

#include "../common/output.hpp"
#include "../common/status.hpp"

#include <lkt/core/files.hpp>
#include <lkt/scan/scan_page.hpp>
#include <lkt/scan/scan_query.hpp>
#include <lkt/scan/scan_records.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace lkt_scan {
namespace {

using namespace lkt_apps;

lkt::result<lkt::scan_table> read_run(std::string const& file) {
    auto text = lkt::read_text_file(file);
    if (!text) return text.error();
    auto read = lkt::read_json_lines(*text);
    if (!read) return in_file(file, read.error());
    return std::move(read->table);
}

/// Those rows of a run that are wanted.
lkt::result<lkt::scan_table> read_rows(options const& o, std::string const& file) {
    auto table = read_run(file);
    if (!table || o.where.empty()) return table;
    return lkt::rows_where(*table, o.where);
}

/// Those of several files.
lkt::result<lkt::scan_table> read_all(options const& o, std::vector<std::string> const& files) {
    lkt::scan_table table;
    for (std::string const& file : files) {
        auto rows = read_rows(o, file);
        if (!rows) return rows.error();
        for (lkt::scan_row& row : *rows) table.push_back(std::move(row));
    }
    return table;
}

/// The accelerator that was named, or that the rows are of.
std::optional<lkt::accelerator> accelerator_of_rows(options const& o,
                                                    lkt::scan_table const& table) {
    if (o.accelerator) return o.accelerator;
    for (lkt::scan_row const& row : table)
        if (!row.device.empty())
            if (auto found = lkt::accelerator_called(row.device)) return std::move(*found);
    return std::nullopt;
}

} // namespace

int write_tables(options const& o, lkt::scan_table const& table, std::string const& markdown) {
    int worst = status::done;
    auto const put = [&](std::string const& file, std::string const& text) {
        if (auto failed = write_output(file, text)) worst = complain(*failed);
    };
    if (!o.csv_file.empty()) put(o.csv_file, to_csv(table));
    if (!o.html_file.empty()) put(o.html_file, scan_page(table, accelerator_of_rows(o, table)));
    if (!o.markdown_file.empty() || (o.csv_file != "-" && o.html_file != "-"))
        put(o.markdown_file.empty() ? "-" : o.markdown_file, markdown);
    return worst;
}

lkt::result<int> compare_runs(options const& o) {
    auto const before = read_rows(o, o.compare[0]);
    if (!before) return before.error();
    auto const after = read_rows(o, o.compare[1]);
    if (!after) return after.error();
    if (auto failed = write_output("-", to_markdown(lkt::compare(*before, *after)))) return *failed;
    return status::done;
}

lkt::result<int> show_runs(options const& o) {
    auto read = read_all(o, o.show);
    if (!read) return read.error();
    auto table = std::move(*read);
    if (o.best) table = lkt::filter(table, [](lkt::scan_row const& row) { return row.best; });
    if (table.empty())
        say(!o.where.empty() ? "lkt-scan: no result meets " + o.where +
                                   (o.best ? ", and is the best of a product" : "")
            : o.best ? "lkt-scan: no product has a best result"
                     : "lkt-scan: there are no results in what was named");
    if (o.group_by.empty()) return write_tables(o, table, lkt::rows_to_markdown(table));
    auto const groups = lkt::group_by_fields(table, o.group_by);
    if (!groups) return groups.error();
    return write_tables(o, table, to_markdown(*groups));
}

lkt::result<int> show_spaces(options const& o) {
    auto const table = read_all(o, o.space);
    if (!table) return table.error();
    return show_spaces_of(
        lkt::filter(*table, [](lkt::scan_row const& row) { return row.measured(); }), o);
}

} // namespace lkt_scan
