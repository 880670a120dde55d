// SPDX-License-Identifier: BSL-1.0
// The value of a preprocessor condition whose macros are expanded already.
#pragma once

#include <lkt/lang/cuda/tokens.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lkt::detail::lang {

/// As the C++ standard has it: 64 bits, signed unless a `u` says otherwise; names are 0. What is
/// not evaluated may divide by zero.
class condition_value {
public:
    explicit condition_value(std::span<token const> tokens) : tokens_(tokens) {}

    /// Nothing if it is no expression; `why` says what is wrong with it.
    [[nodiscard]] std::optional<bool> run() {
        auto const v = conditional(true);
        if (why.empty() && at_ < tokens_.size())
            fail("`" + tokens_[at_].text + "` is not allowed in a condition");
        if (!why.empty()) return {};
        return v.bits != 0;
    }
    std::string why;

private:
    struct number {
        std::uint64_t bits = 0;
        bool is_unsigned = false;
        [[nodiscard]] std::int64_t whole() const { return static_cast<std::int64_t>(bits); }
    };
    static constexpr int max_depth = 200;

    void fail(std::string what) {
        if (why.empty()) why = std::move(what);
    }
    /// Operators that are spelt as words.
    static std::string_view meaning(token const& t) {
        if (t.kind != token_kind::identifier) return t.text;
        static constexpr std::pair<std::string_view, std::string_view> words[] = {{"and", "&&"},
                                                                                  {"or", "||"},
                                                                                  {"not", "!"},
                                                                                  {"bitand", "&"},
                                                                                  {"bitor", "|"},
                                                                                  {"xor", "^"},
                                                                                  {"compl", "~"},
                                                                                  {"not_eq", "!="}};
        for (auto const& [word, sign] : words)
            if (t.text == word) return sign;
        return t.text;
    }
    [[nodiscard]] bool is(std::string_view what) const {
        return at_ < tokens_.size() && meaning(tokens_[at_]) == what &&
               tokens_[at_].kind != token_kind::string &&
               tokens_[at_].kind != token_kind::character;
    }
    bool take(std::string_view what) {
        bool const there = is(what);
        at_ += there ? 1 : 0;
        return there;
    }

    number conditional(bool live) {
        if (++depth_ > max_depth) fail("the condition is nested too deep");
        number const what = why.empty() ? binary(1, live) : number{};
        number result = what;
        if (why.empty() && take("?")) {
            number const yes = conditional(live && what.bits != 0);
            if (!take(":")) fail("a `?` lacks its `:`");
            number const no = why.empty() ? conditional(live && what.bits == 0) : number{};
            result = what.bits != 0 ? yes : no;
            result.is_unsigned = yes.is_unsigned || no.is_unsigned;
        }
        --depth_;
        return result;
    }
    static int level_of(std::string_view sign) {
        static constexpr std::pair<std::string_view, int> table[] = {{"||", 1},
                                                                     {"&&", 2},
                                                                     {"|", 3},
                                                                     {"^", 4},
                                                                     {"&", 5},
                                                                     {"==", 6},
                                                                     {"!=", 6},
                                                                     {"<", 7},
                                                                     {">", 7},
                                                                     {"<=", 7},
                                                                     {">=", 7},
                                                                     {"<<", 8},
                                                                     {">>", 8},
                                                                     {"+", 9},
                                                                     {"-", 9},
                                                                     {"*", 10},
                                                                     {"/", 10},
                                                                     {"%", 10}};
        for (auto const& [spelling, level] : table)
            if (spelling == sign) return level;
        return 0;
    }
    number binary(int least, bool live) {
        number left = unary(live);
        while (why.empty() && at_ < tokens_.size()) {
            auto const& t = tokens_[at_];
            if (t.kind == token_kind::string || t.kind == token_kind::character) break;
            auto const sign = meaning(t);
            int const level = level_of(sign);
            if (level < least || level == 0) break;
            ++at_;
            bool const needed =
                live && !(sign == "&&" && left.bits == 0) && !(sign == "||" && left.bits != 0);
            left = combined(left, sign, binary(level + 1, needed), needed);
        }
        return left;
    }
    number combined(number a, std::string_view sign, number b, bool live) {
        bool const u = a.is_unsigned || b.is_unsigned;
        auto const truth = [](bool v) { return number{v ? 1ULL : 0ULL, false}; };
        auto const made = [u](std::uint64_t v) { return number{v, u}; };
        if (sign == "||") return truth(a.bits != 0 || b.bits != 0);
        if (sign == "&&") return truth(a.bits != 0 && b.bits != 0);
        if (sign == "==") return truth(a.bits == b.bits);
        if (sign == "!=") return truth(a.bits != b.bits);
        if (sign == "<") return truth(u ? a.bits < b.bits : a.whole() < b.whole());
        if (sign == ">") return truth(u ? a.bits > b.bits : a.whole() > b.whole());
        if (sign == "<=") return truth(u ? a.bits <= b.bits : a.whole() <= b.whole());
        if (sign == ">=") return truth(u ? a.bits >= b.bits : a.whole() >= b.whole());
        if (sign == "|") return made(a.bits | b.bits);
        if (sign == "^") return made(a.bits ^ b.bits);
        if (sign == "&") return made(a.bits & b.bits);
        if (sign == "+") return made(a.bits + b.bits);
        if (sign == "-") return made(a.bits - b.bits);
        if (sign == "*") return made(a.bits * b.bits);
        if (sign == "<<" || sign == ">>") return shifted(a, sign == "<<", b, live);
        if (b.bits == 0) {
            if (live) fail("a condition divides by zero");
            return made(0);
        }
        bool const over = sign == "/";
        if (u) return made(over ? a.bits / b.bits : a.bits % b.bits);
        if (b.whole() == -1) return made(over ? 0 - a.bits : 0); // of the smallest number, too
        return made(
            static_cast<std::uint64_t>(over ? a.whole() / b.whole() : a.whole() % b.whole()));
    }
    /// Compilers do not agree on shifts by less than 0 or by more than the width.
    number shifted(number a, bool left, number b, bool live) {
        if (b.bits > 63) {
            if (live) fail("a condition shifts by a number that is not between 0 and 63");
            return {0, a.is_unsigned};
        }
        if (left) return {a.bits << b.bits, a.is_unsigned};
        return {a.is_unsigned ? a.bits >> b.bits : static_cast<std::uint64_t>(a.whole() >> b.bits),
                a.is_unsigned};
    }
    number unary(bool live) {
        if (++depth_ > max_depth) fail("the condition is nested too deep");
        number result;
        if (!why.empty()) {
        } else if (take("!")) {
            result = {unary(live).bits == 0 ? 1ULL : 0ULL, false};
        } else if (take("-")) {
            result = unary(live);
            result.bits = 0 - result.bits;
        } else if (take("+")) {
            result = unary(live);
        } else if (take("~")) {
            result = unary(live);
            result.bits = ~result.bits;
        } else if (take("(")) {
            result = conditional(live);
            if (why.empty() && !take(")")) fail("a condition lacks a `)`");
        } else {
            result = primary();
        }
        --depth_;
        return result;
    }
    number primary() {
        if (at_ >= tokens_.size()) {
            fail("a condition ends too early");
            return {};
        }
        token const& t = tokens_[at_++];
        if (t.kind == token_kind::identifier && meaning(t) == t.text)
            return {t.text == "true" ? 1ULL : 0ULL, false};
        if (t.kind == token_kind::number) return whole_number(t.text);
        if (t.kind == token_kind::character) return character(t.text);
        fail("`" + t.text + "` is not allowed in a condition");
        return {};
    }
    number whole_number(std::string_view text) {
        std::string digits;
        for (char const c : text)
            if (c != '\'') digits += c;
        unsigned base = 10;
        std::size_t k = 0;
        auto const begins = [&](char letter) {
            return digits.size() > 2 && digits[0] == '0' && (digits[1] | 0x20) == letter;
        };
        if (begins('x'))
            base = 16, k = 2;
        else if (begins('b'))
            base = 2, k = 2;
        else if (digits[0] == '0')
            base = 8;
        auto const digit = [&](std::size_t at, std::string_view in) {
            char const c = at < in.size() ? in[at] : '\0', lower = static_cast<char>(c | 0x20);
            return c >= '0' && c <= '9' ? static_cast<unsigned>(c - '0')
                   : lower >= 'a' && lower <= 'f' && base == 16
                       ? static_cast<unsigned>(lower - 'a' + 10)
                       : 99;
        };
        bool separated = true; // a separator stands between two digits
        for (std::size_t at = 0; at < text.size(); ++at)
            if (text[at] == '\'')
                separated =
                    separated && at > k && digit(at - 1, text) < 99 && digit(at + 1, text) < 99;
        number n;
        bool over = false;
        auto const first = k;
        for (; k < digits.size(); ++k) {
            unsigned const d = digit(k, digits);
            if (d >= base) break;
            over = over || n.bits > (~std::uint64_t{0} - d) / base;
            n.bits = n.bits * base + d;
        }
        auto const suffix = std::string_view(digits).substr(k);
        bool fine = separated && k > first && !over && suffix.size() <= 3;
        int us = 0, ls = 0, zs = 0;
        for (char const c : suffix) {
            us += c == 'u' || c == 'U' ? 1 : 0;
            ls += c == 'l' || c == 'L' ? 1 : 0;
            zs += c == 'z' || c == 'Z' ? 1 : 0;
        }
        fine = fine && us + ls + zs == static_cast<int>(suffix.size()) && us <= 1 && ls <= 2 &&
               zs == 0 && suffix.find("lL") == suffix.npos && suffix.find("Ll") == suffix.npos &&
               (ls < 2 || suffix.find('u') != 1) && (ls < 2 || suffix.find('U') != 1);
        if (!fine) fail("`" + std::string(text) + "` is not a whole number of 64 bits");
        n.is_unsigned = us > 0 || (n.bits >> 63) != 0;
        return n;
    }
    number character(std::string_view text) {
        if (text.size() == 3 && text[1] != '\\' && static_cast<unsigned char>(text[1]) < 0x80)
            return {static_cast<std::uint64_t>(text[1]), false};
        if (text.size() == 4 && text[1] == '\\') {
            constexpr std::string_view names = "ntr0\\'\"abfv?";
            if (auto const k = names.find(text[2]); k != names.npos)
                return {static_cast<std::uint64_t>("\n\t\r\0\\'\"\a\b\f\v?"[k]), false};
        }
        fail(std::string(text) + " is not a plain character");
        return {};
    }

    std::span<token const> tokens_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

} // namespace lkt::detail::lang
