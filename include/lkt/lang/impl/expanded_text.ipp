// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/expanded_text.hpp>

#include <lkt/lang/cuda/detail/preprocessor.hpp>
#include <lkt/lang/wgsl/detail/wgsl_tokens.hpp>

#include <utility>

namespace lkt::detail::lang {

result<expanded_text> wgsl_as_it_is(kernel_source const& source) {
    auto const tokens = wgsl_lexer(source).run();
    if (!tokens) return tokens.error();
    expanded_text text;
    int line = 0;
    for (wgsl_token const& t : *tokens) {
        if (t.what == wgsl_token::sort::end) continue;
        token word;
        word.kind = t.what == wgsl_token::sort::identifier ? token_kind::identifier
                    : t.what == wgsl_token::sort::number   ? token_kind::number
                                                           : token_kind::punctuator;
        word.text = std::string(t.text);
        word.where = t.where;
        word.begin = t.begin;
        word.end = t.begin + t.text.size();
        word.first = std::exchange(line, t.where.line) != t.where.line;
        expanded_token seen;
        seen.tok = word;
        seen.source = text.written.size();
        text.seen.push_back(std::move(seen));
        text.written.push_back(std::move(word));
    }
    return text;
}

expanded_token::edge edge_of(piece::edge e) {
    switch (e) {
    case piece::edge::none:
        return expanded_token::edge::none;
    case piece::edge::open:
        return expanded_token::edge::open;
    case piece::edge::next:
        return expanded_token::edge::next;
    case piece::edge::close:
        return expanded_token::edge::close;
    }
    return expanded_token::edge::none;
}

} // namespace lkt::detail::lang

namespace lkt {

result<expanded_text> expand_text(kernel_source const& source) {
    namespace dl = detail::lang;
    if (source.language == language::wgsl) return dl::wgsl_as_it_is(source);
    auto tokens = tokenize(source.text);
    if (!tokens) return tokens.error();
    expanded_text text;
    text.written = std::move(*tokens);
    dl::preprocessor macros(text.written, dl::preprocessor::conditions::keep_all);
    if (!macros.run()) return *macros.defect();
    text.seen.reserve(macros.pieces().size());
    for (dl::piece const& p : macros.pieces()) {
        expanded_token t;
        t.tok = p.tok;
        t.source = p.source;
        t.mark = dl::edge_of(p.mark);
        t.expanded = p.expanded;
        // The preprocessor leaves an empty string where a `#` stood, which is one byte long.
        t.stringized = p.expanded && p.tok.kind == token_kind::string && p.tok.text == "\"\"" &&
                       p.tok.end - p.tok.begin < 2;
        text.seen.push_back(std::move(t));
    }
    text.hidden.assign(macros.mentioned().begin(), macros.mentioned().end());
    return text;
}

} // namespace lkt
