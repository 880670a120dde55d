// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/cuda/inline_ptx.hpp>

#include <lkt/lang/cuda/detail/ptx_reader.hpp>
#include <lkt/lang/cuda/detail/ptx_table.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

namespace detail {

inline constexpr std::array<std::string_view, 3> ptx_policies{"none", "compute", "listed"};

class asm_reader {
public:
    asm_reader(std::vector<token> const& tokens, std::size_t at) : tokens_(tokens), at_(at + 1) {}

    [[nodiscard]] std::variant<asm_statement, ptx_refusal> run() {
        while (is("volatile") || is("__volatile__")) ++at_;
        if (!is("(")) return no("asm", "write it as `asm volatile(\"...\" : ... );`");
        ++at_;
        asm_statement made;
        if (!is_string()) return no("asm", "its template is not a plain string literal");
        for (; is_string(); ++at_)
            if (auto wrong = join(tokens_[at_].text, made.text)) return *wrong;
        // Outputs, inputs, clobbers; `::` is two colons.
        for (int part = 0; !is(")");) {
            if (is("::")) {
                part += 2;
                ++at_;
            } else if (is(":")) {
                ++part;
                ++at_;
            } else {
                return no("asm", "its template is not a plain string literal");
            }
            if (part > 3)
                return no("asm goto", "a kernel's assembly has no jumps to labels of C++");
            if (part == 3 && !clobbers()) return no("asm", "its clobbers are plain strings");
            if (part < 3)
                if (auto wrong = operands(part == 1, made)) return *wrong;
        }
        made.end = at_ + 1;
        return made;
    }

private:
    [[nodiscard]] bool is(std::string_view text) const {
        return at_ < tokens_.size() && tokens_[at_].is(text);
    }
    [[nodiscard]] bool is_string() const {
        return at_ < tokens_.size() && tokens_[at_].kind == token_kind::string;
    }
    [[nodiscard]] static ptx_refusal no(std::string_view what, std::string_view why) {
        return {std::string(what), std::string(why)};
    }
    /// Appends what `literal` stands for.
    [[nodiscard]] std::optional<ptx_refusal> join(std::string_view literal, std::string& to) const {
        auto const shown = std::string(literal.substr(0, 40));
        if (tokens_[at_].disguised)
            return no(shown, "its spelling hides what it is; use plain characters");
        if (literal.starts_with("R\"")) {
            auto const open = literal.find('('), close = literal.rfind(')');
            if (open == literal.npos || close == literal.npos || close < open)
                return no(shown, "its template is not a plain string literal");
            to += literal.substr(open + 1, close - open - 1);
            return {};
        }
        if (literal.size() < 2 || literal.front() != '"' || literal.back() != '"')
            return no(shown, "its template is not a plain string literal");
        literal = literal.substr(1, literal.size() - 2);
        for (std::size_t k = 0; k < literal.size(); ++k) {
            if (literal[k] != '\\') {
                to += literal[k];
                continue;
            }
            char const c = ++k < literal.size() ? literal[k] : ' ';
            if (c != 'n' && c != 't' && c != 'r')
                return no("\\" + std::string(1, c),
                          "of escapes a template has only \\n, \\t and \\r");
            to += c == 'n' ? '\n' : ' ';
        }
        return {};
    }
    [[nodiscard]] bool clobbers() {
        while (is_string()) {
            ++at_;
            if (is(",")) ++at_;
        }
        return is(")");
    }
    [[nodiscard]] std::optional<ptx_refusal> operands(bool outputs, asm_statement& made) {
        while (is_string()) {
            asm_statement::operand o;
            if (auto wrong = join(tokens_[at_].text, o.constraint)) return wrong;
            ++at_;
            std::string_view const c = o.constraint;
            // `&`: no input shares its register.
            bool const fine =
                outputs ? (c.size() == 2 || (c.size() == 3 && c[1] == '&')) &&
                              (c[0] == '=' || c[0] == '+') &&
                              std::string_view("hrlfd").find(c.back()) != c.npos
                        : c.size() == 1 && std::string_view("hrlfdn").find(c[0]) != c.npos;
            if (!fine)
                return no(
                    "\"" + o.constraint + "\"",
                    "constraints are =h, =r, =l, =f, =d (or with + or =&) for outputs, and h, r, "
                    "l, f, d, n for inputs");
            if (!is("(")) return no("asm", "an operand is a constraint and an expression");
            auto const first = ++at_;
            for (int depth = 1; at_ < tokens_.size(); ++at_) {
                depth += is("(") ? 1 : is(")") ? -1 : 0;
                if (depth == 0) break;
            }
            if (at_ >= tokens_.size() || at_ == first)
                return no("asm", "an operand is a constraint and an expression");
            o.tokens = {first, at_++};
            made.operands.push_back(std::move(o));
            if (!is(",")) break;
            ++at_;
            if (!is_string()) return no("asm", "an operand is a constraint and an expression");
        }
        return {};
    }

    std::vector<token> const& tokens_;
    std::size_t at_;
};

} // namespace detail

std::string_view to_string(ptx_policy policy) {
    return detail::ptx_policies[static_cast<std::size_t>(policy)];
}
std::optional<ptx_policy> read_ptx_policy(std::string_view text) {
    for (std::size_t k = 0; k < detail::ptx_policies.size(); ++k)
        if (text == detail::ptx_policies[k]) return static_cast<ptx_policy>(k);
    return {};
}

std::variant<asm_statement, ptx_refusal> read_asm(std::vector<token> const& tokens,
                                                  std::size_t at) {
    return detail::asm_reader(tokens, at).run();
}

std::variant<ptx_code, ptx_refusal> read_ptx(asm_statement const& statement, ptx_policy policy) {
    return detail::ptx_reader(statement, policy).run();
}

bool ptx_instruction::has(std::string_view modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}
std::optional<std::size_t> ptx_instruction::tensor_map() const {
    for (ptx_operand const& o : operands)
        if (o.kind == ptx_operand::kinds::tile || name == "prefetch.tensormap")
            return o.parts[0].index;
    return {};
}
std::string ptx_instruction::spelt() const {
    auto text = name;
    for (auto const& m : modifiers) text += "." + m;
    return text;
}

std::string ptx_words(ptx_policy policy, std::string_view architecture) {
    if (policy == ptx_policy::none || !architecture.starts_with("sm_")) return {};
    int number = 0;
    for (char const c : architecture.substr(3))
        if (c >= '0' && c <= '9') number = number * 10 + (c - '0');
    std::string text;
    for (auto const& row : detail::ptx_rows) {
        // Instructions of one architecture alone, such as wgmma, are those of sm_90a.
        bool const there =
            row.architecture == 901 ? architecture == "sm_90a" : row.architecture <= number;
        auto const word = "`" + std::string(row.name) + "`"; // of several rows, for several forms
        if (!there || row.from > policy || text.find(word) != text.npos) continue;
        text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

} // namespace lkt
