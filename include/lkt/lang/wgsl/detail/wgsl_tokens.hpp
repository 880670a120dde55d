// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/plain_text.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/kernel/text_location.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::detail::lang {

/// A token of WGSL text. `<` and `>` around a template list are told from the operators.
struct wgsl_token {
    enum class sort : unsigned char { identifier, number, symbol, open, close, end };
    sort what = sort::end;
    std::string_view text; ///< a part of the source
    text_location where;   ///< columns count bytes from 1
    std::size_t begin = 0; ///< in the source

    [[nodiscard]] bool is(std::string_view spelling) const { return text == spelling; }
    [[nodiscard]] bool names() const { return what == sort::identifier; }
};

/// `a.wgsl:3:7: ` or `line 3, column 7: `.
inline std::string wgsl_place(kernel_source const& source, text_location where) {
    std::string text = plain_line(source.origin, 200);
    if (where.line <= 0) return text.empty() ? text : text + ": ";
    if (text.empty()) return to_string(where) + ": ";
    return text + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) + ": ";
}

inline error wgsl_error(kernel_source const& source,
                        char const* code,
                        text_location where,
                        std::string message,
                        std::string hint) {
    return {
        condition::rejected, code, wgsl_place(source, where) + std::move(message), std::move(hint)};
}

/// One pass over the text. Template lists are found as the WGSL specification finds them ("Template
/// lists", section 3.9): a `<` after a name waits for its `>` at the same depth of brackets.
class wgsl_lexer {
public:
    explicit wgsl_lexer(kernel_source const& source) : source_(source), text_(source.text) {}

    result<std::vector<wgsl_token>> run() {
        if (text_.size() > max_kernel_bytes)
            return wgsl_error(source_,
                              "lkt.kernel.text",
                              {},
                              "the kernel's text has " + std::to_string(text_.size()) +
                                  " bytes; the limit is " + std::to_string(max_kernel_bytes) + "",
                              "leave out what the kernel does not need");
        while (skip_blank()) {
            read_token();
            if (defect_) return *defect_;
        }
        if (defect_) return *defect_;
        tokens_.push_back({wgsl_token::sort::end, {}, where_, text_.size()});
        return std::move(tokens_);
    }

private:
    using sort = wgsl_token::sort;
    static bool digit(char c) { return c >= '0' && c <= '9'; }
    static bool hex(char c) { return digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
    [[nodiscard]] char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
    [[nodiscard]] bool comes(std::string_view s) const { return text_.substr(at_, s.size()) == s; }

    /// Bytes of the line break here, 0 for none.
    [[nodiscard]] std::size_t line_break() const {
        char const c = at(at_);
        if (c == '\r') return at(at_ + 1) == '\n' ? 2 : 1;
        if (c == '\n' || c == '\v' || c == '\f') return 1;
        if (c == '\xc2' && at(at_ + 1) == '\x85') return 2; // next line
        if (comes("\xe2\x80\xa8") || comes("\xe2\x80\xa9")) return 3;
        return 0;
    }
    /// Bytes of the blank here that ends no line.
    [[nodiscard]] std::size_t blank() const {
        if (at(at_) == ' ' || at(at_) == '\t') return 1;
        return comes("\xe2\x80\x8e") || comes("\xe2\x80\x8f") ? 3 : 0; // marks of direction
    }
    [[nodiscard]] bool name_start() const {
        char const c = at(at_);
        if (static_cast<unsigned char>(c) >= 0x80) return line_break() == 0 && blank() == 0;
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }

    void step(std::size_t bytes = 1) {
        at_ += bytes;
        where_.column += static_cast<int>(bytes);
    }
    /// Past one character, whatever it is.
    void skip() {
        if (std::size_t const bytes = line_break()) {
            at_ += bytes;
            ++where_.line;
            where_.column = 1;
        } else {
            step();
        }
    }
    void fail(text_location where, std::string message, std::string hint) {
        defect_ =
            wgsl_error(source_, "lkt.kernel.text", where, std::move(message), std::move(hint));
    }

    /// To the next token; false at the end of the text.
    bool skip_blank() {
        while (at_ < text_.size()) {
            if (line_break() != 0) {
                skip();
            } else if (std::size_t const bytes = blank()) {
                step(bytes);
            } else if (comes("//")) {
                while (at_ < text_.size() && line_break() == 0) step();
            } else if (comes("/*")) {
                text_location const start = where_;
                std::size_t depth = 0;
                do {
                    if (comes("/*")) {
                        ++depth;
                        step(2);
                    } else if (comes("*/")) {
                        --depth;
                        step(2);
                    } else {
                        skip();
                    }
                } while (depth > 0 && at_ < text_.size());
                if (depth > 0) {
                    fail(start,
                         "this comment is never closed",
                         "end it with */, once for each /* within it");
                    return false;
                }
            } else {
                return true;
            }
        }
        return false;
    }

    void push(sort what, std::size_t bytes) {
        tokens_.push_back({what, text_.substr(at_, bytes), where_, at_});
        step(bytes);
    }

    void read_token() {
        char const c = at(at_);
        if (name_start())
            read_name();
        else if (digit(c) || (c == '.' && digit(at(at_ + 1))))
            read_number();
        else if (c == '<')
            read_less();
        else if (c == '>')
            read_greater();
        else
            read_symbol();
    }

    void read_name() {
        std::size_t const begin = at_;
        text_location const where = where_;
        while (at_ < text_.size() && (name_start() || digit(at(at_)))) step();
        tokens_.push_back({sort::identifier, text_.substr(begin, at_ - begin), where, begin});
    }

    void read_number() {
        std::size_t const begin = at_;
        text_location const where = where_;
        bool const is_hex = comes("0x") || comes("0X");
        if (is_hex) step(2);
        auto const digits = [&] {
            while (is_hex ? hex(at(at_)) : digit(at(at_))) step();
        };
        digits();
        if (at(at_) == '.') {
            step();
            digits();
        }
        char const mark = at(at_);
        if (is_hex ? mark == 'p' || mark == 'P' : mark == 'e' || mark == 'E') {
            bool const sign = at(at_ + 1) == '+' || at(at_ + 1) == '-';
            step(sign ? 2 : 1);
            while (digit(at(at_))) step();
        }
        if (std::string_view("iufh").find(at(at_)) != std::string_view::npos) step();
        if (name_start() || digit(at(at_)))
            return fail(where,
                        "this number is followed by " + in_backticks(text_.substr(at_, 1)),
                        "a number may end in i, u, f or h");
        tokens_.push_back({sort::number, text_.substr(begin, at_ - begin), where, begin});
    }

    void read_less() {
        for (std::string_view const s : {"<<=", "<<", "<="})
            if (comes(s)) return push(sort::symbol, s.size());
        if (!tokens_.empty() && tokens_.back().names())
            pending_.emplace_back(tokens_.size(), depth_);
        push(sort::symbol, 1);
    }
    void read_greater() {
        if (!pending_.empty() && pending_.back().second == depth_) {
            tokens_[pending_.back().first].what = sort::open;
            pending_.pop_back();
            return push(sort::close, 1);
        }
        for (std::string_view const s : {">>=", ">>", ">="})
            if (comes(s)) return push(sort::symbol, s.size());
        push(sort::symbol, 1);
    }
    /// What was waited for within these brackets will not come.
    void drop_pending() {
        while (!pending_.empty() && pending_.back().second >= depth_) pending_.pop_back();
    }

    void read_symbol() {
        static constexpr std::array<std::string_view, 15> several = {"->",
                                                                     "==",
                                                                     "!=",
                                                                     "&&",
                                                                     "||",
                                                                     "++",
                                                                     "--",
                                                                     "+=",
                                                                     "-=",
                                                                     "*=",
                                                                     "/=",
                                                                     "%=",
                                                                     "&=",
                                                                     "|=",
                                                                     "^="};
        for (std::string_view const s : several) {
            if (!comes(s)) continue;
            if (s == "&&" || s == "||") drop_pending();
            return push(sort::symbol, 2);
        }
        char const c = at(at_);
        constexpr std::string_view single = "{}[]():;,.@=+-*/%&|^!~";
        if (c == '\0' || single.find(c) == std::string_view::npos)
            return fail(where_,
                        c == '\0' ? "the text contains a NUL byte: this is not a kernel"
                                  : in_backticks(text_.substr(at_, 1)) + " is not a WGSL character",
                        c == '#' ? "WGSL has no preprocessor; use const, override and if"
                                 : "remove it");
        if (c == '(' || c == '[') ++depth_;
        if (c == ')' || c == ']') {
            drop_pending();
            if (depth_ > 0) --depth_;
        }
        if (c == ';' || c == '{' || c == ':' || c == '=') {
            depth_ = 0;
            pending_.clear();
        }
        push(sort::symbol, 1);
    }

    kernel_source const& source_;
    std::string_view text_;
    std::size_t at_ = 0;
    text_location where_{1, 1};
    std::size_t depth_ = 0;                                    ///< of ( and [
    std::vector<std::pair<std::size_t, std::size_t>> pending_; ///< a `<`: its token, its depth
    std::optional<error> defect_;
    std::vector<wgsl_token> tokens_;
};

} // namespace lkt::detail::lang
