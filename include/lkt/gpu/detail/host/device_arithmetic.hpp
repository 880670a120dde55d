// SPDX-License-Identifier: BSL-1.0
// Where a kernel's text converts and shifts, which a device does otherwise than this machine.
#pragma once

#include <lkt/lang/cuda/tokens.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::host_detail {

/// Tokens, and what stands there instead.
struct token_edit {
    std::size_t first, last;
    std::string text;
};

enum class arithmetic_of : unsigned char { device, cpu };

/// C++ leaves open what a number outside of an integer's range becomes, and a shift by more than
/// there are bits. A device gives the nearest integer, and 0; x86 gives other bits. So casts to
/// integers, and shifts by what is no literal, go through functions of the shim.
class device_arithmetic_reader {
public:
    explicit device_arithmetic_reader(std::vector<token> const& tokens) : tokens_(tokens) {}

    /// What to put in the place of the tokens from `i` on; nothing where they stay.
    [[nodiscard]] std::optional<token_edit> read(std::size_t i) const {
        if (is(i, "static_cast") && is(i + 1, "<")) {
            auto const end = past_integer(i + 2);
            if (end > i + 2 && is(end, ">") && is(end + 1, "("))
                return token_edit{i, i, "lkt_converted"};
        }
        if (is(i, "(")) return cast(i);
        if (past_integer(i) == i + 1 && is(i + 1, "(") && i > 0 && begins_value(i - 1) &&
            !is(i + 2, "*") && !is(i + 2, "&") && !is(i + 2, ")"))
            return token_edit{i, i, "lkt_converted<" + tokens_[i].text + ">"};
        if (is(i, "<<") || is(i, "<<=") || is(i, ">>=") || (is(i, ">>") && !angled(i)))
            return shift(i);
        return std::nullopt;
    }

private:
    [[nodiscard]] bool is(std::size_t k, std::string_view what) const {
        return k < tokens_.size() && tokens_[k].is(what);
    }
    template <std::size_t N>
    [[nodiscard]] bool among(std::size_t k, std::array<std::string_view, N> const& words) const {
        return k < tokens_.size() &&
               std::any_of(words.begin(), words.end(), [&](auto w) { return tokens_[k].is(w); });
    }
    /// The first token after the words from `k` on that name an integer.
    [[nodiscard]] std::size_t past_integer(std::size_t k) const {
        static constexpr std::array<std::string_view, 18> words{"int",
                                                                "unsigned",
                                                                "char",
                                                                "short",
                                                                "long",
                                                                "signed",
                                                                "int8_t",
                                                                "uint8_t",
                                                                "int16_t",
                                                                "uint16_t",
                                                                "int32_t",
                                                                "uint32_t",
                                                                "int64_t",
                                                                "uint64_t",
                                                                "size_t",
                                                                "uint",
                                                                "uchar",
                                                                "ushort"};
        while (among(k, words)) ++k;
        return k;
    }
    /// Whether a value ends at token `k`.
    [[nodiscard]] bool ends_value(std::size_t k) const {
        token const& t = tokens_[k];
        return (t.kind == token_kind::identifier && !t.is("return")) ||
               t.kind == token_kind::number || t.kind == token_kind::character || t.is(")") ||
               t.is("]");
    }
    /// Whether a value that binds no tighter than a product may follow token `k`.
    [[nodiscard]] bool begins_value(std::size_t k) const {
        static constexpr std::array<std::string_view, 32> always{
            "=",  "(",  "[",  "{",  ",",  "?",  ":",  "return", "/",   "%",  "|",
            "^",  "<",  "<<", ">>", "<=", ">=", "==", "!=",     "&&",  "||", "+=",
            "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=",    ">>=", ";"};
        static constexpr std::array<std::string_view, 4> between{"+", "-", "*", "&"};
        return among(k, always) || (among(k, between) && k > 0 && ends_value(k - 1));
    }
    /// The parenthesis that ends a type at `i`: of an integer, or of a real number that an integer
    /// is cast to. 0: it is no such cast.
    [[nodiscard]] std::size_t end_of_type(std::size_t i) const {
        auto const end = past_integer(i + 1);
        if (end > i + 1 && is(end, ")")) return end;
        bool const real = (is(i + 1, "float") || is(i + 1, "double")) && is(i + 2, ")");
        return real && is(i + 3, "(") && end_of_type(i + 3) > 0 ? i + 2 : 0;
    }
    /// `(unsigned)x`: an operator in its place binds as tight, but for what stands before it.
    [[nodiscard]] std::optional<token_edit> cast(std::size_t i) const {
        auto const end = end_of_type(i);
        if (end == 0 || i == 0 || end + 1 >= tokens_.size()) return std::nullopt;
        static constexpr std::array<std::string_view, 6> unary{"(", "-", "~", "!", "*", "&"};
        token const& next = tokens_[end + 1];
        if (next.kind != token_kind::identifier && next.kind != token_kind::number &&
            !among(end + 1, unary))
            return std::nullopt;
        if (!begins_value(i - 1) && !follows_cast(i)) return std::nullopt;
        std::string type;
        for (auto k = i + 1; k < end; ++k) type += (type.empty() ? "" : " ") + tokens_[k].text;
        return token_edit{i, end, "lkt_into<" + type + ">()->* "};
    }
    /// Whether what is before `i` is such a cast, which goes through the shim as well.
    [[nodiscard]] bool follows_cast(std::size_t i) const {
        if (!is(i - 1, ")")) return false;
        auto open = i - 1;
        while (open > 0 && !is(open, "(")) --open;
        return end_of_type(open) == i - 1 && cast(open).has_value();
    }
    [[nodiscard]] std::optional<token_edit> shift(std::size_t i) const {
        static constexpr std::array<std::string_view, 5> tighter{"+", "-", "*", "/", "%"};
        if (i == 0 || !ends_value(i - 1) || is(i - 1, "operator") || i + 1 >= tokens_.size())
            return std::nullopt;
        if (tokens_[i + 1].kind == token_kind::number && !among(i + 2, tighter))
            return std::nullopt;
        return token_edit{i, i, tokens_[i].text + " lkt_by()->* "};
    }
    /// Whether a `<` stands before it in its statement: then it may end a template's arguments.
    [[nodiscard]] bool angled(std::size_t i) const {
        while (i-- > 0 && !is(i, ";") && !is(i, "{") && !is(i, "}"))
            if (is(i, "<")) return true;
        return false;
    }

    std::vector<token> const& tokens_;
};

} // namespace lkt::host_detail
