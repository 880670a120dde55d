// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/diagnostics/own_text.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/lang/diagnostics/detail/diagnostic_words.hpp>
#include <lkt/lang/diagnostics/detail/words_of_text.hpp>

#include <algorithm>
#include <charconv>

namespace lkt {

namespace detail::diagnostics {

inline void add_words(std::set<std::string, std::less<>>& words, std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        auto const end = end_of_word(text, at);
        if (end > at) words.emplace(text.substr(at, end - at));
        at = std::max(at, end);
    }
}

/// A number that a message may have of its own: of arguments, of bytes.
inline bool is_short_number(std::string_view word) {
    bool const hex = word.starts_with("0x");
    if (hex) word.remove_prefix(2);
    if (word.empty() || word.size() > 5) return false;
    return std::all_of(word.begin(), word.end(), [&](char c) {
        return is_digit(c) || (hex && c >= 'a' && c <= 'f');
    });
}

/// What clang and GCC call the namespace around the text, which its author does not know.
inline std::string without_our_namespace(std::string text) {
    for (std::string_view const name : {"(anonymous namespace)::", "{anonymous}::", "<unnamed>::"})
        for (auto at = text.find(name); at != text.npos; at = text.find(name, at))
            text.erase(at, name.size());
    return text;
}

} // namespace detail::diagnostics

own_text::own_text(std::string_view text, configuration const& values, std::string_view compiled)
    : lines_(detail::diagnostics::lines_of(text)) {
    using namespace detail::diagnostics;
    constexpr std::string_view begins = "#line 1 \"kernel\"\n";
    if (auto const at = compiled.rfind(begins); at != compiled.npos)
        compiled_ = lines_of(compiled.substr(at + begins.size()));
    add_words(words_, text);
    for (auto const& [name, value] : values.values) {
        words_.insert(name);
        add_words(words_, definition_text(value));
    }
}

void own_text::also(std::string_view given) { detail::diagnostics::add_words(words_, given); }

std::string_view own_text::line(int number) const {
    if (number < 1 || number > lines()) return {};
    return lines_[static_cast<std::size_t>(number) - 1];
}

bool own_text::unchanged(int line_number) const {
    auto const at = static_cast<std::size_t>(line_number) - 1;
    return line_number > 0 && at < compiled_.size() && compiled_[at] == line(line_number);
}

bool own_text::has(std::string_view word) const { return words_.contains(word); }

bool own_text::may_say(std::string_view word) const {
    if (word.size() == 1 || has(word)) return true;
    std::string spelt = " " + std::string(word) + " ";
    auto const known = detail::lang::compilers_words();
    if (known.find(spelt) != known.npos) return true;
    // `Expected`, but not `eXPECTED`.
    auto& first = spelt[1];
    if (first >= 'A' && first <= 'Z') {
        first = static_cast<char>(first - 'A' + 'a');
        if (known.find(spelt) != known.npos) return true;
    }
    // `_Z1kPf`: what a linker or ptxas calls a function of the text.
    if (!word.starts_with("_Z") || word.size() > 200) return false;
    bool named = false;
    std::size_t rest = 0;
    for (auto name = word.substr(2); !name.empty();) {
        std::size_t length = 0;
        auto const read = std::from_chars(name.data(), name.data() + name.size(), length);
        auto const digits = static_cast<std::size_t>(read.ptr - name.data());
        if (digits == 0) {
            name.remove_prefix(1);
            ++rest;
            continue;
        }
        if (length == 0 || length > name.size() - digits) return false;
        auto const part = name.substr(digits, length);
        if (!has(part) && part != "_GLOBAL__N_1") return false;
        named = true;
        name.remove_prefix(digits + length);
    }
    return named && rest <= 16;
}

std::string own_text::own_words(std::string_view message, std::size_t most) const {
    using namespace detail::diagnostics;
    constexpr std::string_view dots = "...";
    auto const text = without_our_namespace(plain_line(message.substr(0, 4 * most + 4096)));
    std::string said;
    int numbers = 0;
    for (std::size_t at = 0; at < text.size() && said.size() <= most;) {
        if (auto const mark = quotation_mark(text, at)) {
            said += '\'';
            at += mark;
            continue;
        }
        auto const end = end_of_word(text, at);
        if (end == at) {
            said += text[at++];
            continue;
        }
        auto const word = std::string_view(text).substr(at, end - at);
        bool const ours = may_say(word) || (is_short_number(word) && ++numbers <= 3);
        if (ours) {
            said += word;
        } else {
            // Nobody counts the words that are left out.
            auto const end_of_said = said.find_last_not_of(' ') + 1;
            if (std::string_view(said).substr(0, end_of_said).ends_with(dots))
                said.resize(end_of_said);
            else
                said += dots;
        }
        at = end;
    }
    while (said.ends_with(' ')) said.pop_back();
    return plain_line(said, most);
}

} // namespace lkt
