// SPDX-License-Identifier: BSL-1.0
// Names of extents, and their numbers, as one types them.
#pragma once

#include <lkt/core/string_tools.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace lkt::detail::scan {

/// Upper and lower case are the same.
inline bool same_name(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
        return (x | 0x20) == (y | 0x20);
    });
}

inline std::optional<std::int64_t> scan_number_in(std::string_view text) {
    text = trimmed(text);
    std::int64_t value = 0;
    auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

} // namespace lkt::detail::scan
