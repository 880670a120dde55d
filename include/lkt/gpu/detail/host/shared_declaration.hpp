// SPDX-License-Identifier: BSL-1.0
// The parts of a declaration of shared memory.
#pragma once

#include <lkt/lang/cuda/tokens.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace lkt::host_detail {

/// Positions among the tokens of a text.
struct shared_declaration {
    std::size_t first = 0, semicolon = 0;
    std::vector<std::size_t> names;   ///< that it declares
    std::vector<std::size_t> storage; ///< `static`, `extern`, `__device__`
    std::vector<std::pair<std::size_t, std::size_t>> alignments; ///< first and last token of each
    std::size_t initialiser = 0;                                 ///< 0: none
    bool dynamic = false;                                        ///< `extern`

    [[nodiscard]] bool understood() const { return semicolon > 0 && !names.empty(); }
};

/// Whether an alignment begins at token `k`, with a parenthesis behind the word.
[[nodiscard]] inline bool aligns_at(std::vector<token> const& tokens, std::size_t k) {
    for (auto const* const word :
         {"alignas", "__align__", "__builtin_align__", "__attribute__", "__attribute"})
        if (tokens[k].is(word)) return k + 1 < tokens.size() && tokens[k + 1].is("(");
    return false;
}

/// To how many bytes dynamic shared memory is aligned on a device: 16, or the largest alignment
/// that the text declares of it or of a type. What is no literal counts as 1024, the most that a
/// device's own accesses need. Static arrays have their own.
[[nodiscard]] inline std::uint32_t dynamic_alignment(std::vector<token> const& tokens) {
    constexpr std::uint32_t most = 1024;
    std::uint32_t largest = 16;
    bool shared = false, dynamic = false; // what stands before, in this statement
    std::uint32_t here = 0;
    for (std::size_t k = 0; k < tokens.size(); ++k) {
        token const& t = tokens[k];
        shared = shared || t.is("__shared__");
        dynamic = dynamic || t.is("extern");
        if (aligns_at(tokens, k) && k + 3 < tokens.size()) {
            std::uint32_t bytes = 0;
            auto const& text = tokens[k + 2].text;
            auto const read = std::from_chars(text.data(), text.data() + text.size(), bytes);
            bool const literal = read.ec == std::errc{} && tokens[k + 3].is(")");
            here = std::max(here, literal ? std::min(bytes, most) : most);
        }
        if (!t.is(";") && !t.is("{") && !t.is("}")) continue;
        if (!shared || dynamic) largest = std::max(largest, here);
        shared = dynamic = false;
        here = 0;
    }
    return std::bit_ceil(largest);
}

class shared_declaration_reader {
public:
    explicit shared_declaration_reader(std::vector<token> const& tokens) : tokens_(tokens) {}

    /// The declaration whose `__shared__` is token `at`, in a statement that begins at `statement`.
    [[nodiscard]] shared_declaration read(std::size_t at, std::size_t statement) {
        made_.first = beginning(at, statement);
        for (auto k = made_.first; k < tokens_.size() && made_.semicolon == 0;) k = next(k);
        return std::move(made_);
    }

private:
    [[nodiscard]] bool is(std::size_t k, std::string_view what) const {
        return k < tokens_.size() && tokens_[k].is(what);
    }
    [[nodiscard]] bool aligns(std::size_t k) const { return aligns_at(tokens_, k); }
    /// The bracket that closes the one at `k`.
    [[nodiscard]] std::size_t closing(std::size_t k) const {
        int depth = 0;
        for (; k < tokens_.size(); ++k) {
            if (is(k, "(") || is(k, "[") || is(k, "{")) ++depth;
            if ((is(k, ")") || is(k, "]") || is(k, "}")) && --depth == 0) break;
        }
        return k;
    }
    /// One past the `>` that closes the `<` at `k`.
    [[nodiscard]] std::size_t after_template(std::size_t k) const {
        for (int depth = 0; k < tokens_.size(); ++k) {
            if (is(k, "(") || is(k, "[") || is(k, "{")) k = closing(k);
            if (is(k, "<")) ++depth;
            if (is(k, ">")) --depth;
            if (is(k, ">>")) depth -= 2;
            if (depth <= 0) return k + 1;
        }
        return k;
    }

    /// Labels, attributes and `if (...)` before it are no part of it.
    [[nodiscard]] std::size_t beginning(std::size_t at, std::size_t statement) const {
        auto first = statement;
        for (auto k = statement; k < at;) {
            if (aligns(k)) {
                k = closing(k + 1) + 1;
            } else if (is(k, "<")) {
                k = after_template(k);
            } else if (is(k, "[") || is(k, "(")) {
                first = k = closing(k) + 1;
            } else if (is(k, ":") || tokens_[k].directive) {
                first = ++k;
            } else {
                ++k;
            }
        }
        return first > at ? at : first;
    }

    /// Takes what is at `k`; returns where it goes on.
    [[nodiscard]] std::size_t next(std::size_t k) {
        if (aligns(k)) {
            made_.alignments.emplace_back(k, closing(k + 1));
            return made_.alignments.back().second + 1;
        }
        if (is(k, "decltype") || is(k, "typeof") || is(k, "__typeof__"))
            return is(k + 1, "(") ? closing(k + 1) + 1 : k + 1;
        if (is(k, "[") && is(k + 1, "[")) return closing(k) + 1; // an attribute
        if (is(k, "[")) return ends_name(closing(k) + 1);
        if (is(k, "<") && !ended_) return after_template(k);
        if (is(k, "(")) return parenthesis(k);
        if (is(k, "{") && has_body_) {
            has_body_ = false;
            name_ = 0;
            return closing(k) + 1;
        }
        if (is(k, "=") || is(k, "{")) {
            made_.initialiser = k;
            return ends_name(is(k, "{") ? closing(k) + 1 : k + 1);
        }
        if (is(k, ",") || is(k, ";")) {
            if (name_ > 0) made_.names.push_back(name_);
            if (is(k, ";")) made_.semicolon = k;
            name_ = 0;
            ended_ = false;
        } else if (is(k, "static") || is(k, "extern") || is(k, "__device__")) {
            made_.dynamic = made_.dynamic || is(k, "extern");
            made_.storage.push_back(k);
        } else if (tokens_[k].kind == token_kind::identifier && !ended_) {
            has_body_ =
                has_body_ || is(k, "struct") || is(k, "union") || is(k, "class") || is(k, "enum");
            name_ = k;
        }
        return k + 1;
    }
    /// `(*rows)[4]` declares `rows`; other parentheses initialise.
    [[nodiscard]] std::size_t parenthesis(std::size_t k) {
        auto const end = closing(k);
        if (!is(k + 1, "*") && !is(k + 1, "&")) made_.initialiser = k;
        for (auto i = k; i < end && made_.initialiser == 0 && !ended_; ++i)
            if (tokens_[i].kind == token_kind::identifier) name_ = i;
        return ends_name(end + 1);
    }
    /// The last word was the name, whatever may follow.
    [[nodiscard]] std::size_t ends_name(std::size_t then) {
        ended_ = true;
        return then;
    }

    std::vector<token> const& tokens_;
    shared_declaration made_;
    std::size_t name_ = 0;
    bool ended_ = false, has_body_ = false;
};

} // namespace lkt::host_detail
