// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/ndjson.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
    /// The events that end within `bytes`.
    [[nodiscard]] std::vector<stream_event> feed(std::string_view bytes);
    /// The event that no blank line has ended. The standard drops it; a server that closes the
    /// connection after its last line means it.
    [[nodiscard]] std::optional<stream_event> rest();

private:
    void take(std::string_view line);

    line_stream lines_{line_ends::all};
    stream_event event_;
    std::vector<stream_event> done_;
    bool has_data_ = false;
};

} // namespace lkt::detail::http
