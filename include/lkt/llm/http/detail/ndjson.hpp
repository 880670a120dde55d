// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lkt::detail::http {

enum class line_ends : unsigned char {
    newline, ///< LF or CRLF; blank lines are dropped: NDJSON
    all,     ///< LF, CR or CRLF, and blank lines count: server-sent events
};

/// Lines out of bytes that are cut anywhere. A byte order mark before the first one is skipped.
class line_stream {
public:
    explicit line_stream(line_ends ends = line_ends::newline) : ends_(ends) {}

    /// Calls `each` with the lines that end within `bytes`: views, for as long as the call lasts.
    /// One that lies there whole is not copied.
    template <class Each>
    void feed(std::string_view bytes, Each each) {
        constexpr auto none = std::string_view::npos;
        auto lf = bytes.find('\n');
        auto cr = ends_ == line_ends::all ? bytes.find('\r') : none;
        for (std::size_t at = 0; at < bytes.size();) {
            // Each is looked for once, so that this is linear.
            if (lf < at) lf = bytes.find('\n', at);
            if (cr < at) cr = bytes.find('\r', at);
            if (std::exchange(after_cr_, false) && lf == at) {
                ++at;
                continue;
            }
            auto const end = lf < cr ? lf : cr;
            auto const piece = bytes.substr(at, end == none ? none : end - at);
            if (end == none || !begun_.empty()) begun_ += piece;
            if (end == none) return;
            after_cr_ = end == cr;
            at = end + 1;
            if (auto const line = finished(begun_.empty() ? piece : std::string_view(begun_)))
                each(*line);
            begun_.clear();
        }
    }
    /// The last line, where nothing ended it.
    [[nodiscard]] std::optional<std::string> rest();

private:
    [[nodiscard]] std::optional<std::string_view> finished(std::string_view line);

    line_ends ends_;
    std::string begun_; ///< a line whose end has not come
    bool first_ = true;
    bool after_cr_ = false; ///< a LF that comes now belongs to the CR before it
};

} // namespace lkt::detail::http
