// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

namespace lkt {

/// How much of a kernel was checked: `full` if it ran in checked mode, which looks for races and
/// accesses out of bounds, and the tests reached every way of its comparisons that is not the
/// original's, too.
enum class checked_extent : unsigned char { none, partial, full };
/// As reports and their JSON spell it.
[[nodiscard]] constexpr std::string_view to_string(checked_extent e) {
    return e == checked_extent::full ? "full" : e == checked_extent::partial ? "partial" : "none";
}

struct checked_part {
    checked_extent extent = checked_extent::none;
    /// What was not checked, and why: one line. Empty if and only if everything was.
    std::string left_out = "not run in checked mode";
};

/// `full`, or `partial: ` and what was left out.
[[nodiscard]] inline std::string to_string(checked_part const& part) {
    std::string text(to_string(part.extent));
    return part.left_out.empty() ? text : text + ": " + part.left_out;
}

} // namespace lkt
