// SPDX-License-Identifier: BSL-1.0
// Questions to a table of results, as one types them: which rows, and what groups of them have.
#pragma once

#include <lkt/scan/scan_records.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// The rows that meet a condition over the fields of records, in the language of `expression`:
/// `type == 'f16' and m >= 1024 and roof_share > 0.5`. A row that does not know a field of the
/// condition does not meet it. Errors (rejected): `lkt.expression.parse`; `lkt.scan.field` (there
/// is no such field); `lkt.expression.evaluate`.
[[nodiscard]] result<scan_table> rows_where(scan_table const& table, std::string_view condition);

/// Measured rows that have the same values of some fields.
struct scan_group {
    std::vector<std::optional<parameter_value>> values; ///< of the fields; absent: not known
    scan_summary summary;
};

struct scan_groups {
    std::vector<std::string> fields;
    std::vector<scan_group> groups; ///< in the order of their values
};

/// Errors (rejected): `lkt.scan.field`.
[[nodiscard]] result<scan_groups> group_by_fields(scan_table const& table,
                                                  std::vector<std::string> fields);

/// Least, mean, most and deviation in TFLOP/s, and the largest share of the roof.
[[nodiscard]] std::string to_markdown(scan_groups const& groups);

} // namespace lkt
