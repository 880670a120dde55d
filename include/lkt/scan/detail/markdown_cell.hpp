// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/plain_text.hpp>
#include <lkt/core/units.hpp>

#include <cmath>
#include <string>
#include <string_view>

namespace lkt::detail::scan {

/// A cell of a Markdown table.
inline std::string table_cell(std::string_view text) {
    std::string out;
    for (char const c : plain_line(text, 120)) {
        if (std::string_view("|\\`*_<>[]").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

inline std::string percent(double share) {
    return share > 0 ? significant(std::round(share * 1000) / 10) + " %" : "";
}

} // namespace lkt::detail::scan
