// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/ndjson.hpp>

#include <lkt/llm/detail/fence_line.hpp>

#include <cstddef>
#include <utility>

namespace lkt::detail::http {

std::vector<std::string> line_stream::feed(std::string_view bytes) {
    std::vector<std::string> lines;
    auto const* const marks = ends_ == line_ends::all ? "\r\n" : "\n";
    while (!bytes.empty()) {
        if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
            bytes.remove_prefix(1);
            continue;
        }
        auto const end = bytes.find_first_of(marks);
        line_ += bytes.substr(0, end);
        if (end == bytes.npos) break;
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
