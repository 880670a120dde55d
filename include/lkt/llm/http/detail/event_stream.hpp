// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/ndjson.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lkt::detail::http {

struct stream_event {
    std::string name; ///< empty where the server gave none
    std::string data;
    friend bool operator==(stream_event const&, stream_event const&) = default;
};

/// Server-sent events (WHATWG HTML, 9.2.6) out of bytes that are cut anywhere: lines end with LF,
/// CR or CRLF and may be of any length, one byte order mark is skipped, comments are dropped, and
/// several `data` lines make one text. `id` and `retry` mean nothing to us. A field `error`, which
/// older servers of llama.cpp send, is read as an event of that name.
class event_stream {
public:
    /// Calls `each` with the events that end within `bytes`.
    template <class Each>
    void feed(std::string_view bytes, Each each) {
        lines_.feed(bytes, [&](std::string_view line) {
            if (!ends_with(line)) return;
            each(std::as_const(event_));
            restart();
        });
    }
    /// The event that no blank line has ended. The standard drops it; a server that closes the
    /// connection after its last line means it.
    [[nodiscard]] std::optional<stream_event> rest();

private:
    /// Whether the line is the last one of an event that counts.
    [[nodiscard]] bool ends_with(std::string_view line);
    void restart();

    line_stream lines_{line_ends::all};
    stream_event event_;
    bool has_data_ = false;
};

} // namespace lkt::detail::http
