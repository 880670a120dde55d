// SPDX-License-Identifier: BSL-1.0
// A kernel's text, a line of three dashes, and what a compiler said of it: what is kept is text, is
// bounded, and its excerpts are lines of the kernel.
#include "support/property.hpp"

#include <lkt/core/plain_text.hpp>
#include <lkt/lang/diagnostics/diagnostics.hpp>

#include <algorithm>

lkt_fuzz::target const here("diagnostics", [](std::uint8_t const* data, std::size_t size) {
    using lkt_fuzz::require;
    auto const input = std::string_view(lkt_fuzz::text_of(data, size));
    constexpr std::string_view between = "\n---\n";
    auto const at = std::min(input.find(between), input.size());
    auto const text = input.substr(0, at);
    auto const output = input.substr(std::min(at + between.size(), input.size()));
    lkt::own_text const own(text, {}, "#line 1 \"kernel\"\n" + std::string(text));
    auto const said = lkt::read_diagnostics(output, own);
    require(said.list.size() <= 120, "there are few messages", input);
    for (auto const& d : said.list) {
        require(lkt::plain_text(d.message) == d.message, "a message is plain text", input);
        require(d.message.size() <= 2048, "a message is bounded", input);
        require(d.excerpt.empty() || d.excerpt == lkt::plain_text(own.line(d.where.line), 200),
                "an excerpt is a line of the text",
                input);
        require(d.caret >= 0 && d.caret <= static_cast<int>(d.excerpt.size()) + 1,
                "a caret stands under its line",
                input);
        require(d.where.line <= own.lines(), "a place is in the text", input);
    }
    auto const log = to_string(said);
    require(!log.empty() && log.size() <= 8192, "a log is bounded", input);
    require(lkt::plain_text(log) == log, "a log is plain text", input);
    // A word that only another file can have.
    constexpr std::string_view canary = "canary7f3a9";
    if (text.find(canary) == text.npos)
        require(log.find(canary) == log.npos, "what the text does not have is not told", input);
    for (std::size_t const most : {std::size_t{0}, std::size_t{7}, std::size_t{100}, size}) {
        auto const shown = lkt::plain_text(input, most);
        require(shown.size() <= most, "plain text is bounded", input);
        require(lkt::plain_text(shown, most) == shown, "plain text stays", input);
        require(lkt::well_formed_utf8(shown) == shown, "plain text is UTF-8", input);
    }
    auto const whole = lkt::plain_text(input);
    require(std::none_of(
                whole.begin(),
                whole.end(),
                [](char c) { return (c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == 0x7f; }),
            "nothing steers a terminal",
            input);
    return 0;
});
