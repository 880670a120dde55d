// SPDX-License-Identifier: BSL-1.0
// Inline PTX in C++, so that a CPU runs it.
#pragma once

#include <lkt/gpu/detail/host/ptx_instructions.hpp>
#include <lkt/gpu/detail/host/ptx_values.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/lang/cuda/inline_ptx.hpp>
#include <lkt/lang/cuda/tokens.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
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
        std::string made = "do { ";
        // Labels of this block alone: a function may be inlined twice.
        for (auto const& [name, at] : code.labels) made += "__label__ lkt_l_" + name + "; ";
        std::string after;
        std::set<std::size_t> used;
        std::set<std::size_t> late; // sums of a product, which are written when somebody waits
        for (auto const& i : code.instructions) {
            if (i.guard) note_uses(*i.guard, used);
            for (auto const& o : i.operands) note_uses(o, used);
            if (i.name == "wgmma.mma_async") note_uses(i.operands[0], late);
        }
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
            if (o.written() && o.read() && !used.contains(k)) {
                // Named to keep its uses behind this statement, which may write it meanwhile.
                made += "(void)(" + value + "); ";
            } else if (late.contains(k)) {
                made += "auto& lkt_to_" + name + " = (" + value +
                        "); static_assert(sizeof lkt_to_" + name + " == sizeof(" + type +
                        "), \"an output has another size than its constraint\"); ";
            } else if (o.written()) {
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
        auto const labels_at = [&](std::size_t place) {
            for (auto const& [name, at] : code.labels)
                if (at == place) made += "lkt_l_" + name + ": ; ";
        };
        for (std::size_t k = 0; k < code.instructions.size(); ++k) {
            auto const& i = code.instructions[k];
            labels_at(k);
            auto const one = i.name == "bra" ? "goto lkt_l_" + i.operands[0].text + ";"
                                             : ptx_instructions::instruction(i);
            if (!one) return ptx_refusal{i.spelt(), "the CPU does not run this form of it"};
            made += i.guard ? "if (" + in("bool", *i.guard) + ") { " + *one + " } " : *one + " ";
        }
        labels_at(code.instructions.size());
        return made + after + "} while (false)";
    }

private:
    /// The operands of the statement of which `o` is made.
    static void note_uses(ptx_operand const& o, std::set<std::size_t>& to) {
        if (o.kind == kinds::value) to.insert(o.index);
        for (auto const& part : o.parts) note_uses(part, to);
    }

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
