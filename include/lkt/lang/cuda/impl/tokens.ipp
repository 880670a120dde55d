// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/cuda/tokens.hpp>

#include <array>
#include <optional>
#include <utility>

namespace lkt::detail::lang {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           static_cast<unsigned char>(c) >= 0x80;
}
constexpr bool is_name(char c) { return is_name_start(c) || is_digit(c); }

error text_error(std::string message, text_location where, std::string hint = {}) {
    if (where.line > 0)
        message = "line " + std::to_string(where.line) + ", column " +
                  std::to_string(where.column) + ": " + message;
    return {condition::rejected, "lkt.kernel.text", std::move(message), std::move(hint)};
}

/// One pass over the text. Line splices are skipped wherever a character is read, which is what
/// makes `sys\<newline>tem` one identifier; only raw strings read the bytes as they stand.
class lexer {
public:
    explicit lexer(std::string_view text) : text_(text) {}

    result<std::vector<token>> run() {
        if (text_.size() > max_kernel_bytes)
            return text_error("the kernel's text has " + std::to_string(text_.size()) +
                                  " bytes; the limit is " + std::to_string(max_kernel_bytes) + "",
                              {});
        if (auto bad = line_ends()) return std::move(*bad);
        while (skip_blank()) {
            read_token();
            if (!defect_.empty()) return text_error(defect_, tokens_.back().where);
        }
        if (!defect_.empty()) return text_error(defect_, where_);
        return std::move(tokens_);
    }

private:
    /// A carriage return ends a line for compilers and for few others, and only where no line feed
    /// follows does that matter.
    [[nodiscard]] std::optional<error> line_ends() const {
        text_location where{1, 1};
        for (std::size_t i = 0; i < text_.size(); ++i, ++where.column) {
            if (text_[i] == '\n') where = {where.line + 1, 0};
            if (text_[i] == '\0')
                return text_error("the text contains a NUL byte: this is not a kernel", where);
            if (text_[i] == '\r' && raw(i + 1) != '\n')
                return text_error("this carriage return has no line feed, and compilers read it as "
                                  "the end of a line; end lines with a line feed",
                                  where);
        }
        return {};
    }
    [[nodiscard]] char raw(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

    /// Length of the line splice at `at`, blanks before its newline included; 0 for none.
    [[nodiscard]] std::size_t splice(std::size_t at) const {
        if (raw(at) != '\\') return 0;
        std::size_t end = at + 1;
        while (raw(end) != '\0' &&
               std::string_view(" \t\r\f\v").find(raw(end)) != std::string_view::npos)
            ++end;
        return raw(end) == '\n' ? end + 1 - at : 0;
    }
    [[nodiscard]] std::size_t past_splices(std::size_t at) const {
        while (std::size_t const n = splice(at)) at += n;
        return at;
    }
    [[nodiscard]] bool at_end() const { return past_splices(at_) >= text_.size(); }
    [[nodiscard]] char peek(int ahead = 0) const {
        std::size_t at = past_splices(at_);
        for (; ahead > 0 && at < text_.size(); --ahead) at = past_splices(at + 1);
        return raw(at);
    }
    void step_raw() {
        if (raw(at_) == '\n') {
            ++where_.line;
            where_.column = 1;
        } else {
            ++where_.column;
        }
        ++at_;
    }
    void drop_splices() {
        for (std::size_t n = splice(at_); n > 0; n = splice(at_)) {
            spliced_ = true;
            for (; n > 0; --n) step_raw();
        }
    }
    void step() {
        drop_splices();
        step_raw();
    }
    void take() {
        drop_splices();
        tokens_.back().text += raw(at_);
        step_raw();
    }

    /// To the next token; false at the end of the text.
    bool skip_blank() {
        for (;;) {
            drop_splices();
            if (at_ >= text_.size()) return false;
            char const c = raw(at_);
            if (c == '\n') {
                first_ = true;
                directive_ = false;
                step_raw();
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
                step_raw();
            } else if (c == '/' && peek(1) == '/') {
                while (!at_end() && peek() != '\n') step();
            } else if (c == '/' && peek(1) == '*') {
                text_location const start = where_;
                step(), step();
                while (!at_end() && !(peek() == '*' && peek(1) == '/')) step();
                if (at_end()) {
                    where_ = start;
                    defect_ = "this comment is never closed; end it with */";
                    return false;
                }
                step(), step();
            } else {
                return true;
            }
        }
    }

    void read_token() {
        spliced_ = false;
        token t;
        t.where = where_;
        t.begin = at_;
        t.first = std::exchange(first_, false);
        tokens_.push_back(std::move(t));
        char const c = peek();
        if (expects_header_name() && c == '<') {
            read_header_name();
        } else if (is_name_start(c) || (c == '\\' && is_universal(peek(1)))) {
            read_name();
        } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
            read_number();
        } else if (c == '"') {
            read_quoted('"');
        } else if (c == '\'') {
            read_quoted('\'');
        } else {
            read_punctuator();
        }
        token& done = tokens_.back();
        done.end = at_;
        done.disguised = done.disguised || spliced_;
        if (done.first && done.is("#")) directive_ = true;
        done.directive = directive_;
    }

    [[nodiscard]] bool expects_header_name() const {
        std::size_t const n = tokens_.size();
        if (n < 3 || !tokens_[n - 2].directive || !tokens_[n - 3].is("#")) return false;
        if (!tokens_[n - 3].first) return false;
        token const& what = tokens_[n - 2];
        return what.is("include") || what.is("include_next") || what.is("import") ||
               what.is("embed");
    }
    void read_header_name() {
        tokens_.back().kind = token_kind::header_name;
        while (!at_end() && peek() != '\n') {
            bool const last = peek() == '>';
            take();
            if (last) return;
        }
        tokens_.back().kind = token_kind::other;
    }

    static constexpr bool is_universal(char c) { return c == 'u' || c == 'U' || c == 'N'; }
    void read_name() {
        tokens_.back().kind = token_kind::identifier;
        while (!at_end()) {
            if (peek() == '\\' && is_universal(peek(1))) {
                tokens_.back().disguised = true;
                take();
            } else if (!is_name(peek())) {
                break;
            }
            take();
        }
        std::string const& prefix = tokens_.back().text;
        if (peek() == '"') {
            if (prefix == "R" || prefix == "LR" || prefix == "uR" || prefix == "UR" ||
                prefix == "u8R")
                return read_raw_string();
            if (prefix == "L" || prefix == "u" || prefix == "U" || prefix == "u8")
                return read_quoted('"');
        } else if (peek() == '\'' &&
                   (prefix == "L" || prefix == "u" || prefix == "U" || prefix == "u8")) {
            read_quoted('\'');
        }
    }

    void read_number() {
        tokens_.back().kind = token_kind::number;
        while (!at_end()) {
            char const c = peek();
            if ((c == 'e' || c == 'E' || c == 'p' || c == 'P') &&
                (peek(1) == '+' || peek(1) == '-')) {
                take();
            } else if (c == '\'') {
                if (!is_name(peek(1))) break;
            } else if (!is_name(c) && c != '.') {
                break;
            }
            take();
        }
    }

    void read_quoted(char quote) {
        tokens_.back().kind = quote == '"' ? token_kind::string : token_kind::character;
        take();
        while (!at_end() && peek() != '\n') {
            char const c = peek();
            take();
            if (c == quote) {
                while (!at_end() && is_name(peek())) take(); // a literal operator's suffix
                return;
            }
            if (c == '\\' && !at_end() && peek() != '\n') take();
        }
        tokens_.back().kind = token_kind::other; // an apostrophe in a #error line, say
    }

    void read_raw_string() {
        tokens_.back().kind = token_kind::string;
        take(); // the quote; from here the bytes count as they stand
        std::string const text_before = tokens_.back().text;
        std::size_t const open = text_.find('(', at_);
        std::size_t close = std::string_view::npos;
        std::string ending;
        if (open != std::string_view::npos && open - at_ <= 16) {
            ending = ")" + std::string(text_.substr(at_, open - at_)) + "\"";
            close = text_.find(ending, open + 1);
        }
        if (close == std::string_view::npos) {
            defect_ = "this raw string is never closed";
            return;
        }
        std::size_t const stop = close + ending.size();
        tokens_.back().text = text_before + std::string(text_.substr(at_, stop - at_));
        while (at_ < stop) step_raw();
        while (!at_end() && is_name(peek())) take();
    }

    void read_punctuator() {
        static constexpr std::array<std::string_view, 28> several = {
            "<<<", "<<=", ">>=", "<=>", "->*", "...", "::", "->", "++", "--",
            "<<",  ">>",  "<=",  ">=",  "==",  "!=",  "&&", "||", "+=", "-=",
            "*=",  "/=",  "%=",  "&=",  "|=",  "^=",  "##", ".*"};
        static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> digraphs = {
            {{"%:%:", "##"}, {"<:", "["}, {":>", "]"}, {"<%", "{"}, {"%>", "}"}, {"%:", "#"}}};
        token& t = tokens_.back();
        t.kind = token_kind::punctuator;
        for (auto const& [spelling, meaning] : digraphs) {
            if (!comes(spelling)) continue;
            // `std::vector<::name>` is not a digraph.
            if (spelling == "<:" && peek(2) == ':' && peek(3) != ':' && peek(3) != '>') continue;
            for (std::size_t i = 0; i < spelling.size(); ++i) step();
            t.text = meaning;
            t.disguised = true;
            return;
        }
        for (std::string_view const spelling : several) {
            if (!comes(spelling)) continue;
            for (std::size_t i = 0; i < spelling.size(); ++i) take();
            return;
        }
        char const c = peek();
        take();
        constexpr std::string_view single = "{}[]()<>;:?.~!+-*/%^&|=,#";
        if (single.find(c) == std::string_view::npos) t.kind = token_kind::other;
    }
    [[nodiscard]] bool comes(std::string_view spelling) const {
        for (std::size_t i = 0; i < spelling.size(); ++i)
            if (peek(static_cast<int>(i)) != spelling[i]) return false;
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    text_location where_{1, 1};
    bool first_ = true, directive_ = false, spliced_ = false;
    std::string defect_;
    std::vector<token> tokens_;
};

} // namespace lkt::detail::lang

namespace lkt {

result<std::vector<token>> tokenize(std::string_view text) {
    return detail::lang::lexer(text).run();
}

} // namespace lkt
