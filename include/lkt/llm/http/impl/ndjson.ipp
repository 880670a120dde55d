// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/ndjson.hpp>

#include <lkt/llm/detail/fence_line.hpp>

namespace lkt::detail::http {

std::optional<std::string> line_stream::rest() {
    auto const last = std::exchange(begun_, {});
    auto const line = last.empty() ? std::nullopt : finished(last);
    return line ? std::optional<std::string>(*line) : std::nullopt;
}

/// The line as it counts, or nothing if it does not.
std::optional<std::string_view> line_stream::finished(std::string_view line) {
    if (std::exchange(first_, false) && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (ends_ == line_ends::newline) {
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (trimmed(line).empty()) return std::nullopt;
    }
    return line;
}

} // namespace lkt::detail::http
