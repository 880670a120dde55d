// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace lkt {

/// Reads `NAME=VALUE,VALUE,...`. A value is a number, `true` or `false`, a range of integers `1..8`
/// or `32..1024..32` (with a step), or text: a word such as `float`, or quoted. Values of one
/// parameter have one type; integers among real numbers count as real. Errors (rejected,
/// `lkt.parameter.text`): no name or value, a value twice, mixed types, more than 100000 values.
[[nodiscard]] result<tunable_parameter> parse_parameter(std::string_view text);

/// Gives the values of one parameter one type: integers beside real numbers become real. Errors: as
/// above for mixed types and a value twice; `text` is what they were read from.
[[nodiscard]] std::optional<error> settle_values(std::string_view text,
                                                 std::vector<parameter_value>& values);

} // namespace lkt
