// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::detail::http {

enum class line_ends : unsigned char {
    newline, ///< LF or CRLF; blank lines are dropped: NDJSON
    all,     ///< LF, CR or CRLF, and blank lines count: server-sent events
};

/// Lines out of bytes that are cut anywhere. A byte order mark before the first one is skipped.
class line_stream {
public:
    explicit line_stream(line_ends ends = line_ends::newline) : ends_(ends) {}

    /// The lines that end within `bytes`.
    [[nodiscard]] std::vector<std::string> feed(std::string_view bytes);
    /// The last line, where nothing ended it.
    [[nodiscard]] std::optional<std::string> rest();

private:
    void finish_line(std::vector<std::string>& lines);

    line_ends ends_;
    std::string line_;
    bool first_ = true;
    bool after_cr_ = false; ///< a LF that comes now belongs to the CR before it
};

} // namespace lkt::detail::http
