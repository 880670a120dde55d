// SPDX-License-Identifier: BSL-1.0
// Streams of JSON lines, as Ollama sends them; the first byte chooses what is asked, the second
// where the rest is cut.
#include "support/answers.hpp"

#include <lkt/llm/http/detail/ndjson.hpp>

#include <vector>

namespace {

using lkt_fuzz::require;

std::vector<std::string> lines_in(std::string_view text, std::size_t step) {
    lkt::detail::http::line_stream stream;
    std::vector<std::string> all;
    for (std::size_t at = 0; at < text.size(); at += step)
        stream.feed(text.substr(at, step), [&](std::string_view line) { all.emplace_back(line); });
    if (auto rest = stream.rest()) all.push_back(std::move(*rest));
    return all;
}

} // namespace

lkt_fuzz::target const here("ndjson", [](std::uint8_t const* data, std::size_t size) {
    if (size < 2) return 0;
    auto const text = lkt_fuzz::text_of(data, size).substr(2);
    std::size_t const step = 1 + data[1] % 64;
    auto const lines = lines_in(text, text.size() + 1);
    require(lines == lines_in(text, step), "lines do not depend on the pieces", text);
    for (std::string const& line : lines)
        require(line.find('\n') == line.npos && !line.empty(), "a line is one", text);
    auto const choice = static_cast<unsigned>(data[0] & 0xF8u);
    lkt_fuzz::check_stream(choice | static_cast<unsigned>(lkt::dialect::ollama), text, step);
    return 0;
});
