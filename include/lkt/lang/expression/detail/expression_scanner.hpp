// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/string_tools.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lkt::detail::lang {

/// The words and signs of an expression, one at a time, until something is wrong.
class expression_scanner {
protected:
    enum class kind : unsigned char { end, number, text, name, symbol, bad };

    explicit expression_scanner(std::string_view text) : text_(text) {}

    void next() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos)
            ++at_;
        start_ = at_;
        if (at_ >= text_.size()) {
            kind_ = kind::end;
            spelling_ = {};
            return;
        }
        char const c = text_[at_];
        if (letter(c)) {
            while (letter(at(at_)) || digit(at(at_))) ++at_;
            kind_ = kind::name;
        } else if (digit(c) || (c == '.' && digit(at(at_ + 1)))) {
            bool const hex = c == '0' && (at(at_ + 1) == 'x' || at(at_ + 1) == 'X');
            while (letter(at(at_)) || digit(at(at_)) || at(at_) == '.') {
                bool const exponent = !hex && (at(at_) == 'e' || at(at_) == 'E');
                ++at_;
                if (exponent && (at(at_) == '+' || at(at_) == '-')) ++at_;
            }
            kind_ = kind::number;
        } else if (c == '"' || c == '\'') {
            scan_text(c);
        } else {
            static constexpr std::string_view several[] = {
                "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
            std::size_t length = 1;
            for (std::string_view const s : several)
                if (text_.substr(at_, 2) == s) length = 2;
            at_ += length;
            kind_ = kind::symbol;
        }
        spelling_ = text_.substr(start_, at_ - start_);
    }

    void fail(std::string const& why) {
        if (defect_) return;
        defect_ = error{condition::rejected,
                        "lkt.expression.parse",
                        "column " + std::to_string(start_ + 1) + " of " + in_backticks(text_) +
                            ": " + why,
                        {}};
        at_ = text_.size(); // nothing more is read, so every loop ends
        kind_ = kind::end;
        spelling_ = {};
    }
    [[nodiscard]] std::string unexpected(std::string const& wanted) const {
        static constexpr std::string_view bits[] = {"&", "|", "^", "~", "<<", ">>"};
        for (std::string_view const b : bits)
            if (kind_ == kind::symbol && spelling_ == b)
                return "the bit operator `" + std::string(b) + "` is not supported";
        if (kind_ == kind::symbol && spelling_ == "=") return "use == to compare";
        return "expected " + wanted + ", got " +
               (kind_ == kind::end ? std::string("the end") : in_backticks(spelling_, 24));
    }
    [[nodiscard]] bool symbol(std::string_view s) const {
        return kind_ == kind::symbol && spelling_ == s;
    }
    [[nodiscard]] bool word(std::string_view s) const {
        return kind_ == kind::name && spelling_ == s;
    }
    bool accept(std::string_view s) {
        if (!symbol(s)) return false;
        next();
        return true;
    }
    void expect(std::string_view s) {
        if (!accept(s)) fail(unexpected("`" + std::string(s) + "`"));
    }

    std::string_view text_;
    std::size_t start_ = 0; ///< of the word
    kind kind_ = kind::end;
    std::string_view spelling_;
    std::string literal_; ///< the text that quotes enclose
    std::optional<error> defect_;

private:
    static bool letter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }
    static bool digit(char c) { return c >= '0' && c <= '9'; }
    [[nodiscard]] char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
    void scan_text(char quote) {
        literal_.clear();
        kind_ = kind::text;
        for (++at_; at_ < text_.size(); ++at_) {
            char c = text_[at_];
            if (c == quote) {
                ++at_;
                return;
            }
            if (c == '\\') {
                c = at(++at_);
                if (c != '\\' && c != '\'' && c != '"') {
                    fail("in text only the escapes \\\\, \\' and \\\" are allowed");
                    kind_ = kind::bad;
                    return;
                }
            }
            literal_ += c;
        }
        fail("this text is never closed");
        kind_ = kind::bad;
    }

    std::size_t at_ = 0;
};

} // namespace lkt::detail::lang
