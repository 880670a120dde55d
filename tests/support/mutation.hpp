// SPDX-License-Identifier: BSL-1.0
// Mutants of a kernel: the same text with one small mistake, of the kinds that rewrites have.
#pragma once

#include <lkt/lang/cuda/tokens.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mutation {

struct mutant {
    std::string operation;
    std::string text;
    int line = 0;
    std::string was, is; ///< what was replaced, and by what
};

namespace detail {

inline bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}
inline bool is_type(std::string_view word) {
    return one_of(word, {"float",      "double",     "int",    "unsigned",  "long",    "short",
                         "char",       "bool",       "void",   "const",     "float2",  "float3",
                         "float4",     "volatile",   "auto",   "constexpr", "static",  "__shared__",
                         "__device__", "__global__", "extern", "template",  "typename"});
}

/// Takes a text apart once, and applies one operation at a time.
class maker {
public:
    explicit maker(std::string_view text) : text_(text) {
        auto read = lkt::tokenize(text);
        if (!read) return;
        for (lkt::token& t : *read)
            if (!t.directive) tokens_.push_back(std::move(t));
        // Only what stands in a body is mutated: parameters and types are the problem's.
        int depth = 0, brackets = 0;
        bool real = false;
        for (lkt::token const& t : tokens_) {
            if (t.is("{")) ++depth;
            if (t.is("}")) --depth;
            if (t.is("(") && depth == 0) ++brackets;
            if (t.is(")") && depth == 0) --brackets;
            inside_.push_back(depth > 0);
            if (t.is("float") || t.is(",")) real = t.is("float");
            if (brackets > 0 && real && t.kind == lkt::token_kind::identifier && !is_type(t.text))
                reals_.insert(t.text);
        }
    }

    std::vector<mutant> all() {
        for (std::size_t k = 0; k < tokens_.size(); ++k) {
            if (is(k, "static_assert")) k = next(k, ";", tokens_.size());
            if (k >= tokens_.size() || !inside_[k]) continue;
            calls(k);
            builtins(k);
            numbers(k);
            operators(k);
            loops(k);
            conditions(k);
            statements(k);
            subscripts(k);
            types(k);
        }
        return std::move(found_);
    }

private:
    [[nodiscard]] bool is(std::size_t k, std::string_view what) const {
        return k < tokens_.size() && tokens_[k].is(what);
    }
    [[nodiscard]] bool is_identifier(std::size_t k) const {
        return k < tokens_.size() && tokens_[k].kind == lkt::token_kind::identifier;
    }
    [[nodiscard]] std::string between(std::size_t first, std::size_t last) const {
        return text_.substr(tokens_[first].begin, tokens_[last].end - tokens_[first].begin);
    }
    /// Where the bracket that `k` opens is closed.
    [[nodiscard]] std::size_t closing(std::size_t k) const {
        int depth = 0;
        for (std::size_t i = k; i < tokens_.size(); ++i) {
            if (is(i, "(") || is(i, "[") || is(i, "{")) ++depth;
            if ((is(i, ")") || is(i, "]") || is(i, "}")) && --depth == 0) return i;
        }
        return tokens_.size() - 1;
    }
    /// The next `what` from `k` on that is in no further bracket; or `last`.
    [[nodiscard]] std::size_t next(std::size_t k, std::string_view what, std::size_t last) const {
        for (std::size_t i = k; i < last; ++i) {
            if (is(i, what)) return i;
            if (is(i, "(") || is(i, "[") || is(i, "{")) i = closing(i);
        }
        return last;
    }

    /// Tokens `first` to `last` become `by`.
    void replace(char const* operation, std::size_t first, std::size_t last, std::string by) {
        mutant m;
        m.operation = operation;
        m.line = tokens_[first].where.line;
        m.was = between(first, last);
        m.is = by;
        m.text = text_.substr(0, tokens_[first].begin) + by + text_.substr(tokens_[last].end);
        if (m.was != m.is) found_.push_back(std::move(m));
    }

    void calls(std::size_t k) {
        if (one_of(tokens_[k].text, {"__syncthreads", "__syncwarp", "workgroupBarrier"}) &&
            is(k + 3, ";"))
            replace("drop a barrier", k, k + 3, ";");
        if (one_of(tokens_[k].text, {"fmaxf", "max"})) replace("max to min", k, k, "fminf");
        if (is(k, "fminf")) replace("min to max", k, k, "fmaxf");
        if (is(k, "atomicAdd") && is(k + 1, "(")) replace("another atomic", k, k, "atomicExch");
    }

    void builtins(std::size_t k) {
        if (!one_of(tokens_[k].text, {"threadIdx", "blockIdx", "blockDim", "gridDim"}) ||
            !is(k + 1, "."))
            return;
        std::string const other = is(k + 2, "x") ? "y" : "x";
        replace("swap x and y", k + 2, k + 2, other);
        if (is(k, "blockIdx")) {
            replace("shrink the grid", k, k + 2, "(" + between(k, k + 2) + " / 2)");
            replace("shrink the grid", k, k + 2, "(" + between(k, k + 2) + " + 1)");
        }
        if (is(k, "threadIdx"))
            replace("shrink the block", k, k + 2, "(" + between(k, k + 2) + " & ~1)");
    }

    /// A length in a declaration: larger is the same program, and smaller is an overrun.
    [[nodiscard]] bool is_length(std::size_t k) const {
        if (!is(k - 1, "[") || !is(k + 1, "]")) return false;
        std::size_t i = k - 2;
        while (is(i, "]")) i -= 3;
        return is_identifier(i) && i > 0 && is_identifier(i - 1) &&
               !one_of(tokens_[i - 1].text, {"return", "else"});
    }
    void numbers(std::size_t k) {
        if (tokens_[k].kind != lkt::token_kind::number) return;
        std::string const n = tokens_[k].text;
        replace("change a constant", k, k, is_length(k) ? n + " - 1" : "(" + n + " - 1)");
        if (is_length(k)) return;
        replace("change a constant", k, k, "(" + n + " + 1)");
        if (n != "0" && n != "0.0f" && n != "0.0")
            replace("change a constant", k, k, "(" + n + " * 2)");
    }

    [[nodiscard]] bool ends_operand(std::size_t k) const {
        auto const& t = tokens_[k];
        return is(k, ")") || is(k, "]") || t.kind == lkt::token_kind::number ||
               (t.kind == lkt::token_kind::identifier && !is_type(t.text) &&
                !one_of(t.text, {"return", "else", "operator"}));
    }
    [[nodiscard]] bool begins_operand(std::size_t k) const {
        return k < tokens_.size() &&
               (is(k, "(") || is(k, "-") || tokens_[k].kind == lkt::token_kind::number ||
                (is_identifier(k) && !is_type(tokens_[k].text)));
    }
    void operators(std::size_t k) {
        static constexpr std::array<std::pair<char const*, char const*>, 19> swaps = {{
            {"+", "-"},   {"-", "+"},   {"*", "+"},   {"/", "*"},   {"%", "/"},
            {"<", "<="},  {"<=", "<"},  {">", ">="},  {">=", ">"},  {"==", "!="},
            {"!=", "=="}, {"&&", "||"}, {"||", "&&"}, {"+=", "-="}, {"-=", "+="},
            {"*=", "/="}, {"/=", "*="}, {"<", ">"},   {"+=", "="},
        }};
        if (k == 0 || !ends_operand(k - 1) || !begins_operand(k + 1)) return;
        for (auto const& [was, by] : swaps)
            if (is(k, was)) replace("change an operator", k, k, by);
    }

    void loops(std::size_t k) {
        if (!is(k, "for") || !is(k + 1, "(")) return;
        std::size_t const close = closing(k + 1);
        std::size_t const first = next(k + 2, ";", close), second = next(first + 1, ";", close);
        if (second >= close || second + 1 >= close) return;
        if (auto const at = next(k + 2, "=", first); at < first)
            replace("start later", at + 1, at + 1, "1 + " + tokens_[at + 1].text);
        for (char const* op : {"<", "<="})
            if (auto const at = next(first + 1, op, second); at < second) {
                replace(
                    "truncate a loop", at + 1, second - 1, between(at + 1, second - 1) + " - 1");
                replace("truncate a loop",
                        at + 1,
                        second - 1,
                        "(" + between(at + 1, second - 1) + ") * 9 / 10");
            }
        if (is(second + 1, "++") && is_identifier(second + 2))
            replace("step over", second + 1, second + 2, tokens_[second + 2].text + " += 2");
        if (auto const at = next(second + 1, "+=", close); at < close)
            replace("step over", at + 1, close - 1, "2 * (" + between(at + 1, close - 1) + ")");
    }

    /// The last token of the statement that begins at `k`.
    [[nodiscard]] std::size_t end_of(std::size_t k) const {
        if (is(k, "{")) return closing(k);
        if ((is(k, "for") || is(k, "if") || is(k, "while")) && is(k + 1, "("))
            return end_of(closing(k + 1) + 1);
        return next(k, ";", tokens_.size() - 1);
    }
    void conditions(std::size_t k) {
        if (!is(k, "if") || !is(k + 1, "(")) return;
        std::size_t const close = closing(k + 1);
        std::string const condition = between(k + 2, close - 1);
        replace("negate a condition", k + 2, close - 1, "!(" + condition + ")");
        if (is(close + 1, "return"))
            replace("drop a guard", k, next(k, ";", tokens_.size() - 1), ";");
        else
            replace("drop a guard", k + 2, close - 1, "true || (" + condition + ")");
        if (auto const at = next(k + 2, "&&", close); at < close) {
            replace("drop half of a guard", k + 2, close - 1, between(k + 2, at - 1));
            replace("drop half of a guard", k + 2, close - 1, between(at + 1, close - 1));
        }
        if (auto const at = next(k + 2, "||", close); at < close) {
            replace("drop half of a guard", k + 2, close - 1, between(k + 2, at - 1));
            replace("drop half of a guard", k + 2, close - 1, between(at + 1, close - 1));
        }
    }

    void statements(std::size_t k) {
        bool const begins = k > 0 && (is(k - 1, ";") || is(k - 1, "{") || is(k - 1, "}") ||
                                      (is(k - 1, ")") && !is(k, "{")) || is(k - 1, "else"));
        if (!begins || !is_identifier(k) || is_type(tokens_[k].text) || is_identifier(k + 1) ||
            one_of(tokens_[k].text, {"for", "if", "while", "return", "else", "__syncthreads"}))
            return;
        std::size_t const end = next(k, ";", tokens_.size());
        if (end >= tokens_.size()) return;
        std::size_t const add = next(k, "+=", end);
        replace(add < end ? "drop an accumulation" : "drop a statement", k, end, ";");
    }

    void subscripts(std::size_t k) {
        if (!is(k, "[") || k == 0 || !is_identifier(k - 1)) return;
        std::size_t const close = closing(k);
        std::vector<std::size_t> names; // what is indexed by
        for (std::size_t i = k + 1; i < close; ++i)
            if (is_identifier(i) && !is(i - 1, ".") && !is(i + 1, "[")) names.push_back(i);
        // The first and the last one, unless only a sum or a product changes sides.
        if (names.size() >= 2) {
            std::size_t const first = names.front(), last = names.back();
            bool const alike = tokens_[first].text == tokens_[last].text ||
                               (last == first + 2 && last + 1 == close);
            if (!alike && !is(first + 1, "."))
                replace(
                    "swap two indices",
                    k,
                    close,
                    text_.substr(tokens_[k].begin, tokens_[first].begin - tokens_[k].begin) +
                        tokens_[last].text +
                        text_.substr(tokens_[first].end, tokens_[last].begin - tokens_[first].end) +
                        tokens_[first].text +
                        text_.substr(tokens_[last].end, tokens_[close].end - tokens_[last].end));
        }
        bool const declared = k > 1 && is_identifier(k - 2) && !is(k - 2, "return");
        if (is(close + 1, "[") && !declared) { // a[i][j]
            std::size_t const last = closing(close + 1);
            replace("swap two indices", k, last, between(close + 1, last) + between(k, close));
        }
        bool const stored = is(close + 1, "=") || is(close + 1, "+=") || is(k - 2, "&");
        if (!stored && !declared && reals_.contains(tokens_[k - 1].text) && !is(close + 1, "[")) {
            std::string const element = between(k - 1, close);
            replace("round to half", k - 1, close, "__half2float(__float2half(" + element + "))");
            replace("round to bfloat16",
                    k - 1,
                    close,
                    "__uint_as_float(__float_as_uint(" + element + ") & 0xffff0000u)");
        }
        if (!declared)
            replace("shift an index", k + 1, close - 1, between(k + 1, close - 1) + " + 1");
    }

    void types(std::size_t k) {
        bool const local = k > 0 && (is(k - 1, ";") || is(k - 1, "{") || is(k - 1, "(") ||
                                     is(k - 1, ")") || is(k - 1, "}"));
        if (!local || !(is_identifier(k + 1)) || is(k + 1, "const") == is(k + 2, "=")) return;
        if (is(k, "float")) replace("change a type", k, k, "int");
    }

    std::string text_;
    std::vector<lkt::token> tokens_;
    std::vector<bool> inside_;
    std::set<std::string, std::less<>> reals_; ///< parameters with floats
    std::vector<mutant> found_;
};

} // namespace detail

/// All mutants of a kernel's text, in the text's order, none twice. Those that round to half need
/// cuda_fp16.h, which is included in front of them.
[[nodiscard]] inline std::vector<mutant> mutants_of(std::string_view text) {
    auto found = detail::maker(text).all();
    std::set<std::string, std::less<>> seen{std::string(text)};
    std::erase_if(found, [&](mutant& m) {
        if (m.operation == "round to half") m.text = "#include <cuda_fp16.h>\n" + m.text;
        return !seen.insert(m.text).second;
    });
    return found;
}

} // namespace mutation
