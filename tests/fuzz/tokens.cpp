// SPDX-License-Identifier: BSL-1.0
// The tokenizer, the macros, and the definitions that a configuration becomes.
#include "support/property.hpp"

#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/lang/definitions.hpp>
#include <lkt/lang/expanded_text.hpp>

namespace {

void check_tokens(std::string_view text, std::vector<lkt::token> const& tokens) {
    using lkt_fuzz::require;
    std::size_t end = 0, counted = 0;
    int line = 1;
    for (lkt::token const& t : tokens) {
        require(t.begin >= end && t.begin < t.end && t.end <= text.size(),
                "tokens follow one another within the text",
                text);
        end = t.end;
        for (; counted < t.begin; ++counted) line += text[counted] == '\n' ? 1 : 0;
        require(t.where.line == line, "a token's line is that of its first byte", text);
        std::size_t const newline = text.substr(0, t.begin).rfind('\n');
        std::size_t const column =
            newline == std::string_view::npos ? t.begin + 1 : t.begin - newline;
        require(t.where.column == static_cast<int>(column), "so is its column", text);
        require(t.disguised || t.text == text.substr(t.begin, t.end - t.begin),
                "a token that is not disguised stands in the text",
                text);
    }
}

} // namespace

lkt_fuzz::target const here("tokens", [](std::uint8_t const* data, std::size_t size) {
    using namespace lkt_fuzz;
    auto const text = text_of(data, size);
    auto const tokens = lkt::tokenize(text);
    if (tokens)
        check_tokens(text, *tokens);
    else
        require_error(tokens.error());

    lkt::kernel_source const source{lkt::language::cuda, std::string(text), "fuzz"};
    auto const expanded = lkt::expand_text(source);
    if (!expanded) {
        require_error(expanded.error());
    } else {
        require(tokens.has_value(), "what is expanded was tokenized", text);
        int depth = 0;
        using edge = lkt::expanded_token::edge;
        for (lkt::expanded_token const& t : expanded->seen) {
            if (t.mark == edge::none)
                require(t.source < expanded->written.size(), "a token comes from somewhere", text);
            depth += t.mark == edge::open ? 1 : t.mark == edge::close ? -1 : 0;
            require(depth >= 0, "branches are nested", text);
            require_place(t.tok.where, text);
        }
        require(depth == 0, "branches are closed", text);
    }

    lkt::configuration const config{{{"BLOCK", std::int64_t{16}}, {"TYPE", std::string("float")}}};
    auto const defined = lkt::with_definitions(source, config);
    if (!defined) {
        require_error(defined.error());
    } else if (auto const* made = std::get_if<std::string>(&*defined)) {
        require(lkt::tokenize(*made).has_value(), "a text with definitions can be read", *made);
    } else {
        require_place(std::get<lkt::refused>(*defined).where, text);
    }
    return 0;
});
