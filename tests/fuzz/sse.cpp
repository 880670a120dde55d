// SPDX-License-Identifier: BSL-1.0
// Streams of server-sent events: the first byte chooses the dialect and what is asked, the second
// where the rest is cut.
#include "support/answers.hpp"

#include <lkt/llm/http/detail/event_stream.hpp>

#include <vector>

namespace {

using lkt_fuzz::require;

std::vector<lkt::detail::http::stream_event> events_in(std::string_view text, std::size_t step) {
    lkt::detail::http::event_stream stream;
    std::vector<lkt::detail::http::stream_event> all;
    for (std::size_t at = 0; at < text.size(); at += step)
        stream.feed(text.substr(at, step), [&](auto const& event) { all.push_back(event); });
    if (auto rest = stream.rest()) all.push_back(std::move(*rest));
    return all;
}

} // namespace

lkt_fuzz::target const here("sse", [](std::uint8_t const* data, std::size_t size) {
    if (size < 2) return 0;
    auto const text = lkt_fuzz::text_of(data, size).substr(2);
    std::size_t const step = 1 + data[1] % 64;
    auto const events = events_in(text, text.size() + 1);
    require(events == events_in(text, step), "events do not depend on the pieces", text);
    std::size_t bytes = 0;
    for (auto const& event : events) bytes += event.data.size();
    require(bytes <= text.size(), "data come from the text", text);
    lkt_fuzz::check_stream(data[0], text, step);
    return 0;
});
