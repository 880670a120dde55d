// SPDX-License-Identifier: BSL-1.0
// Inline PTX in C++, so that a CPU runs it: the instructions whose meaning is that of one thread or
// of one warp. What runs beside the threads (bulk copies, mbarrier, wgmma) is refused.
#pragma once

#include <lkt/gpu/detail/host/ptx_instructions.hpp>
#include <lkt/gpu/detail/host/ptx_values.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/lang/cuda/inline_ptx.hpp>
#include <lkt/lang/cuda/tokens.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lkt::host_detail {

class ptx_in_cpp : ptx_values {
public:
    /// `text`: what `tokens` are the tokens of.
    ptx_in_cpp(asm_statement const& statement,
               std::string_view text,
               std::vector<token> const& tokens)
        : statement_(statement), text_(text), tokens_(tokens) {}

    /// One statement without its semicolon, on one line.
    [[nodiscard]] std::variant<std::string, ptx_refusal> run() {
        auto const read = read_ptx(statement_, ptx_policy::listed);
        if (auto const* const no = std::get_if<ptx_refusal>(&read)) return *no;
        auto const& code = std::get<ptx_code>(read);
        if (code.branches) return ptx_refusal{"a label", "on a CPU inline PTX has no branches"};
        std::string made = "do { ";
        std::string after;
        for (std::size_t k = 0; k < statement_.operands.size(); ++k) {
            auto const& o = statement_.operands[k];
            auto const name = "lkt_" + std::to_string(k), type = type_of(o.type());
            auto const& [first, last] = o.tokens;
            // It would stay as it is, and be the host's own assembly.
            for (auto t = first; t < last; ++t)
                if (begins_asm(tokens_[t].text))
                    return ptx_refusal{"asm", "an operand contains assembly itself"};
            std::string value(
                text_.substr(tokens_[first].begin, tokens_[last - 1].end - tokens_[first].begin));
            std::replace(value.begin(), value.end(), '\n', ' ');
            if (o.written()) {
                made += "auto& lkt_to_" + name + " = (" + value + "); " + type + " " + name +
                        " = " +
                        (o.read() ? "lkt_ptx_in<" + type + ">(lkt_to_" + name + ")"
                                  : "lkt_ptx_unset<" + type + ">()") +
                        "; ";
                after += "lkt_ptx_out(lkt_to_" + name + ", " + name + "); ";
            } else {
                made += type + " const " + name + " = lkt_ptx_in<" + type + ">(" + value +
                        "); (void)" + name + "; ";
            }
        }
        for (auto const& [name, type] : code.registers)
            made += std::string(cpp_of_ptx(type)) + " lkt_r_" + name + " = lkt_ptx_unset<" +
                    std::string(cpp_of_ptx(type)) + ">(); (void)lkt_r_" + name + "; ";
        for (auto const& i : code.instructions) {
            auto const one = ptx_instructions::instruction(i);
            if (!one) return ptx_refusal{i.spelt(), "the CPU does not run this form of it"};
            made += i.guard ? "if (" + std::string(i.guard->negated ? "!" : "") +
                                  in("bool", *i.guard) + ") { " + *one + " } "
                            : *one + " ";
        }
        return made + after + "} while (false)";
    }

private:
    asm_statement const& statement_;
    std::string_view text_;
    std::vector<token> const& tokens_;
};

/// The first statement of assembly that a CPU does not run.
[[nodiscard]] inline std::optional<refused> screen_assembly(std::string_view text,
                                                            std::vector<token> const& tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        token const& t = tokens[i];
        if (t.kind != token_kind::identifier || !begins_asm(t.text)) continue;
        auto const no = [&](ptx_refusal const& why) {
            return refused{
                t.text, "`" + why.what + "`: " + why.why + " (inline PTX on a CPU)", t.where};
        };
        auto const read = read_asm(tokens, i);
        if (auto const* const why = std::get_if<ptx_refusal>(&read)) return no(*why);
        auto const made = ptx_in_cpp(std::get<asm_statement>(read), text, tokens).run();
        if (auto const* const why = std::get_if<ptx_refusal>(&made)) return no(*why);
    }
    return {};
}

} // namespace lkt::host_detail
