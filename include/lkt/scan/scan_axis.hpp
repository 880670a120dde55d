// SPDX-License-Identifier: BSL-1.0
// The numbers of one extent of a scan.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/lang/expression/expression.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lkt {

/// The numbers that a text names, in its order, each once: `512`; `1,2,5`; `128..1024:+128`, steps
/// of 128 up to 1024 inclusive; `1..16384:x2`, each twice the one before; `1..8`, steps of 1; or
/// several of these with commas. Errors (rejected): `lkt.scan.range`, with what is wrong and where;
/// also for more than 100,000 numbers, and for one below `least`.
[[nodiscard]] result<std::vector<std::int64_t>> parse_range(std::string_view text,
                                                            std::int64_t least = 1);

/// An extent of a scan: numbers, or an expression over those that are: `M`, `4*M`, `max(N, 64)`.
struct scan_axis {
    std::vector<std::int64_t> values;
    std::optional<expression> formula; ///< then there are no values

    /// Of a range or an expression. Errors: those of `parse_range` and `expression::parse`.
    [[nodiscard]] static result<scan_axis> parse(std::string_view text, std::int64_t least = 1);
};

} // namespace lkt
