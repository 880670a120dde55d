// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/cuda/detail/piece.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace lkt::detail::lang {

/// The value of an expression of whole numbers, where nobody knows what its names mean.
class whole_number {
public:
    using number = std::optional<std::int64_t>;

    /// Nothing: it is no such expression, or a name decides.
    [[nodiscard]] static number of(std::span<piece const> in) {
        std::size_t at = 0;
        number const n = binary(in, at, 0, 0);
        return at == in.size() ? n : number();
    }

private:
    static constexpr int max_depth = 100;

    static int precedence(piece const& p) {
        static constexpr std::pair<std::string_view, int> table[] = {{"||", 1},
                                                                     {"&&", 2},
                                                                     {"==", 3},
                                                                     {"!=", 3},
                                                                     {"<", 4},
                                                                     {">", 4},
                                                                     {"<=", 4},
                                                                     {">=", 4},
                                                                     {"<<", 5},
                                                                     {">>", 5},
                                                                     {"+", 6},
                                                                     {"-", 6},
                                                                     {"*", 7},
                                                                     {"/", 7},
                                                                     {"%", 7}};
        for (auto const& [spelling, level] : table)
            if (p.is(spelling)) return level;
        return 0;
    }
    static number unary(std::span<piece const> in, std::size_t& at, int depth) {
        if (at >= in.size() || depth > max_depth) return {};
        piece const& p = in[at++];
        if (p.is("!")) {
            number const n = unary(in, at, depth + 1);
            return n ? number(*n == 0) : n;
        }
        if (p.is("-")) {
            number const n = unary(in, at, depth + 1);
            return n ? checked(0, "-", *n) : n;
        }
        if (p.is("+")) return unary(in, at, depth + 1);
        if (p.is("(")) {
            number const n = binary(in, at, 0, depth + 1);
            if (at >= in.size() || !in[at].is(")")) {
                at = in.size() + 1;
                return {};
            }
            ++at;
            return n;
        }
        if (p.names()) {
            if (p.is("true")) return 1;
            if (p.is("false")) return 0;
            return {};
        }
        if (p.tok.kind != token_kind::number) return {};
        std::int64_t n = 0;
        std::size_t used = 0;
        try {
            n = std::stoll(p.tok.text, &used, 0);
        } catch (std::exception const&) {
            return {};
        }
        for (char const c : std::string_view(p.tok.text).substr(used))
            if (std::string_view("uUlL").find(c) == std::string_view::npos) return {};
        return n;
    }
    static number checked(std::int64_t a, std::string_view what, std::int64_t b) {
        std::int64_t r = 0;
        if (what == "+") return __builtin_add_overflow(a, b, &r) ? number() : r;
        if (what == "-") return __builtin_sub_overflow(a, b, &r) ? number() : r;
        if (what == "*") return __builtin_mul_overflow(a, b, &r) ? number() : r;
        if (what == "<<" || what == ">>") {
            if (a < 0 || b < 0 || b > 31 || a > (std::int64_t{1} << 31)) return {};
            return what == "<<" ? a << b : a >> b;
        }
        if (b == 0 || b == -1) return {};
        return what == "/" ? a / b : a % b;
    }
    static number binary(std::span<piece const> in, std::size_t& at, int least, int depth) {
        if (depth > max_depth) return {};
        number left = unary(in, at, depth + 1);
        while (at < in.size()) {
            int const level = precedence(in[at]);
            if (level == 0 || level <= least) break;
            std::string const what = in[at++].tok.text;
            number const right = binary(in, at, level, depth + 1);
            left = combine(left, what, right);
        }
        return left;
    }
    static number combine(number a, std::string const& what, number b) {
        if (what == "&&") {
            if ((a && *a == 0) || (b && *b == 0)) return 0;
            return a && b ? number(1) : number();
        }
        if (what == "||") {
            if ((a && *a != 0) || (b && *b != 0)) return 1;
            return a && b ? number(0) : number();
        }
        if (!a || !b) return {};
        if (what == "==") return *a == *b;
        if (what == "!=") return *a != *b;
        if (what == "<") return *a < *b;
        if (what == ">") return *a > *b;
        if (what == "<=") return *a <= *b;
        if (what == ">=") return *a >= *b;
        return checked(*a, what, *b);
    }
};

} // namespace lkt::detail::lang
