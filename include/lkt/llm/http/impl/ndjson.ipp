// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/ndjson.hpp>

#include <lkt/llm/detail/fence_line.hpp>

#include <cstddef>
#include <utility>

namespace lkt::detail::http {

std::vector<std::string> line_stream::feed(std::string_view bytes) {
    std::vector<std::string> lines;
    bool const cr_ends = ends_ == line_ends::all;
    while (!bytes.empty()) {
        if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
            bytes.remove_prefix(1);
            continue;
        }
        std::size_t end = 0;
        while (end < bytes.size() && bytes[end] != '\n' && !(cr_ends && bytes[end] == '\r')) ++end;
        line_ += bytes.substr(0, end);
        if (end == bytes.size()) break;
        after_cr_ = bytes[end] == '\r';
        bytes.remove_prefix(end + 1);
        finish_line(lines);
    }
    return lines;
}

std::optional<std::string> line_stream::rest() {
    std::vector<std::string> lines;
    if (!line_.empty()) finish_line(lines);
    if (lines.empty()) return std::nullopt;
    return std::move(lines.front());
}

void line_stream::finish_line(std::vector<std::string>& lines) {
    if (std::exchange(first_, false) && line_.starts_with("\xEF\xBB\xBF")) line_.erase(0, 3);
    std::string line = std::exchange(line_, {});
    if (ends_ == line_ends::newline) {
        if (line.ends_with('\r')) line.pop_back();
        if (trimmed(line).empty()) return;
    }
    lines.push_back(std::move(line));
}

} // namespace lkt::detail::http
