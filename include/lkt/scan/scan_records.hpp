// SPDX-License-Identifier: BSL-1.0
// Tables of results as files: JSON Lines, which can be read back, CSV, and Markdown.
#pragma once

#include <lkt/lang/expression/parameters.hpp>
#include <lkt/scan/scan_table.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt {

/// A line of JSON, its line feed included. Fields are flat and their types do not change: times in
/// seconds, rates in TFLOP/s and GB/s; null is not known. docs/lkt-scan.md lists them.
[[nodiscard]] std::string to_json_line(scan_row const& row);

/// The fields of a line, by name, in their order; absent: not known.
[[nodiscard]] std::vector<std::pair<std::string, std::optional<parameter_value>>>
record_fields(scan_row const& row);

/// The fields that rows of the table have, in the order of the columns of CSV. A row has those of
/// its own operation.
[[nodiscard]] std::vector<std::string> field_names(scan_table const& table);

struct read_records {
    scan_table table;
    std::size_t whole = 0; ///< bytes up to the last product that is there with all of its rows
    std::size_t cut = 0;   ///< lines behind that: of a product that was being written
};

/// What `to_json_line` wrote. The last line may be torn, and the last product cut off, as a program
/// leaves them that was killed: both are dropped. Errors (rejected): `lkt.scan.record`, with the
/// line, for anything else that is not such a line.
[[nodiscard]] result<read_records> read_json_lines(std::string_view text);

/// A line of names, and a line a row (RFC 4180); unknown values are empty. Text that a spreadsheet
/// would take for a formula begins with an apostrophe.
[[nodiscard]] std::string to_csv(scan_table const& table);

/// For a report: the best of each product, and which products have none.
[[nodiscard]] std::string to_markdown(scan_table const& table);
/// The same of all measured rows, in their order.
[[nodiscard]] std::string rows_to_markdown(scan_table const& table);
/// Of two runs, the products with the largest changes first.
[[nodiscard]] std::string to_markdown(scan_comparison const& comparison);

} // namespace lkt
