// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/detail/answer_words.hpp>
#include <lkt/llm/detail/prompt_syntax.hpp>
#include <lkt/llm/prompt.hpp>

#include <charconv>
#include <utility>
#include <vector>

namespace lkt::detail {

template <class Number>
void append_shortest(std::string& out, Number value) {
    char text[64];
    out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}
void append_number(std::string& out, long long value) { append_shortest(out, value); }
void append_number(std::string& out, unsigned long long value) { append_shortest(out, value); }
void append_number(std::string& out, float value) { append_shortest(out, value); }
void append_number(std::string& out, double value) { append_shortest(out, value); }
void append_number(std::string& out, long double value) { append_shortest(out, value); }

namespace prompt_words {

std::string in_braces(std::string_view name) {
    return "${" + std::string(name.substr(0, 60)) + "}";
}

std::string known_words(std::span<std::string_view const> known) {
    std::string text;
    for (std::string_view const name : known) text += (text.empty() ? "" : ", ") + in_braces(name);
    return text.empty() ? "this prompt has no placeholders" : "known: " + text;
}

/// The output of one template line, and what is known of it.
struct line {
    std::string text;
    bool placeholders = false, left_out = false;
};

/// A paragraph's lines, unless all of those with placeholders are left out.
void append_paragraph(std::string& out, std::vector<line>& lines, bool& dropped) {
    bool any = false, stays = false;
    for (line const& l : lines) {
        any = any || l.placeholders;
        stays = stays || (l.placeholders && !l.left_out);
    }
    dropped = any && !stays;
    if (!dropped)
        for (line const& l : lines)
            if (!l.left_out) out += l.text;
    lines.clear();
}

line render_line(std::string_view text, void const* words, append_call call) {
    line l;
    while (!text.empty()) {
        prompt_piece const piece = next_piece(text);
        if (piece.kind == prompt_piece::kinds::placeholder) {
            l.placeholders = true;
            if (!call(words, piece.text, l.text)) l.left_out = true;
        } else {
            l.text += piece.text;
        }
        text.remove_prefix(piece.size);
    }
    return l;
}

} // namespace prompt_words

error prompt_error(prompt_defect const& wrong, std::span<std::string_view const> known) {
    namespace w = prompt_words;
    std::string const where = " in line " + std::to_string(wrong.line);
    switch (wrong.kind) {
    case prompt_defect::kinds::unclosed:
        return {condition::rejected,
                "lkt.prompt.unclosed",
                "the placeholder ${" + std::string(wrong.name.substr(0, 60)) + where +
                    " of a prompt has no } on its line",
                "close it, or write $${ for a literal ${; " + w::known_words(known)};
    case prompt_defect::kinds::missing:
        return {condition::rejected,
                "lkt.prompt.missing",
                "a prompt does not use the required " + w::in_braces(wrong.name) + "",
                "put " + w::in_braces(wrong.name) + " where its value belongs"};
    case prompt_defect::kinds::none:
    case prompt_defect::kinds::unknown:
        break;
    }
    std::string message =
        "the placeholder " + w::in_braces(wrong.name) + where + " of a prompt is unknown";
    if (auto const other = meant(wrong.name, known); !other.empty())
        message += "; did you mean " + w::in_braces(other) + "?";
    return {condition::rejected,
            "lkt.prompt.unknown",
            std::move(message),
            w::known_words(known) + "; write $${ for a literal ${"};
}

std::string render_prompt(std::string_view text, void const* words, append_call call) {
    std::string out;
    std::vector<prompt_words::line> paragraph;
    bool dropped = false; // the last paragraph: the blank lines after it go too
    bool ends_in_blank = false;
    while (!text.empty()) {
        std::size_t const end = std::min(text.find('\n'), text.size() - 1) + 1;
        std::string_view const source = text.substr(0, end);
        text.remove_prefix(end);
        if (source.find_first_not_of(" \t\r\n") != source.npos) {
            paragraph.push_back(prompt_words::render_line(source, words, call));
            continue;
        }
        if (!paragraph.empty()) prompt_words::append_paragraph(out, paragraph, dropped);
        if (dropped) continue;
        out += source;
        ends_in_blank = true;
    }
    std::size_t const before = out.size();
    if (!paragraph.empty()) {
        prompt_words::append_paragraph(out, paragraph, dropped);
        // Of the blank lines before it, none is needed now.
        if (dropped && ends_in_blank && out.size() == before)
            while (out.ends_with("\n\n")) out.pop_back();
    }
    return out;
}

} // namespace lkt::detail
