// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>
#include <lkt/lang/cuda/tokens.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

/// Which inline PTX a candidate may contain.
enum class ptx_policy : unsigned char {
    none,    ///< no instruction
    compute, ///< arithmetic, loads and stores, what a warp does together, copies of a thread
    listed,  ///< also what runs beside the threads: bulk copies, `mbarrier`, `wgmma`; and branches
};
[[nodiscard]] std::string_view to_string(ptx_policy policy);
/// `none`, `compute` or `listed`.
[[nodiscard]] std::optional<ptx_policy> read_ptx_policy(std::string_view text);

/// Why a piece of inline PTX is refused.
struct ptx_refusal {
    std::string what; ///< the instruction, or the part of it
    std::string why;
};

/// `asm volatile("add.u32 %0, %1, 1;" : "=r"(a) : "r"(b) : "memory");` in a text.
struct asm_statement {
    struct operand {
        std::string constraint;                       ///< `=r`, `=&r`
        std::pair<std::size_t, std::size_t> tokens{}; ///< of its expression: first, one past last
        [[nodiscard]] char type() const { return constraint.back(); }
        [[nodiscard]] bool written() const { return constraint[0] == '=' || constraint[0] == '+'; }
        [[nodiscard]] bool read() const { return constraint[0] != '='; }
    };
    std::string text;              ///< the template, its literals joined
    std::vector<operand> operands; ///< outputs, then inputs
    std::size_t end = 0;           ///< one past the closing parenthesis
};
/// The statement whose `asm` is token `at`. Only plain string literals, with no escapes but `\n`
/// and `\t`, and the constraints h, r, l, f, d (written or not) and n are read.
[[nodiscard]] std::variant<asm_statement, ptx_refusal> read_asm(std::vector<token> const& tokens,
                                                                std::size_t at);
/// Whether an identifier begins such a statement.
[[nodiscard]] constexpr bool begins_asm(std::string_view word) {
    return word == "asm" || word == "__asm" || word == "__asm__";
}

struct ptx_operand {
    enum class kinds : unsigned char {
        value,   ///< `%3`, the operand of that index
        name,    ///< a register that the template declares
        number,  ///< as it is spelt: `-4`, `0f3F800000`, `1.5`
        special, ///< `%laneid`
        memory,  ///< `[address + offset]`; `parts` holds the address
        tile,    ///< `[map, {x, y}]`; `parts` holds the tensor map's address and the coordinates
        vector,  ///< `{a, b}`
        pair,    ///< `d|p`
        label,
        nothing, ///< `_`
    };
    kinds kind = kinds::nothing;
    std::string text;
    std::size_t index = 0;
    std::int64_t offset = 0;
    bool negated = false; ///< `!p`
    std::vector<ptx_operand> parts;
};

struct ptx_instruction {
    std::string name;                   ///< `cp.async`
    std::vector<std::string> modifiers; ///< `cg`, `shared`, `global`
    std::vector<ptx_operand> operands;
    std::optional<ptx_operand> guard; ///< `@p`, `@!p`
    [[nodiscard]] bool has(std::string_view modifier) const;
    [[nodiscard]] std::string spelt() const; ///< with its modifiers
    /// The operand of the statement that is a tensor map's address.
    [[nodiscard]] std::optional<std::size_t> tensor_map() const;
};

struct ptx_code {
    std::vector<std::pair<std::string, std::string>> registers; ///< name and type: `p`, `pred`
    std::vector<ptx_instruction> instructions;
    std::vector<std::pair<std::string, std::size_t>> labels; ///< and before which instruction
};
/// What the template of `statement` says, or why `policy` refuses it: an instruction, modifier,
/// special register or kind of operand that is not on its list, an address that is no register, or
/// text that cannot be read.
[[nodiscard]] std::variant<ptx_code, ptx_refusal> read_ptx(asm_statement const& statement,
                                                           ptx_policy policy);

/// The names of the instructions that `policy` allows on a device of this architecture (`sm_90`),
/// as a list for people: "`add`, `mul`". Empty where there are none, or for another kind of device.
[[nodiscard]] std::string ptx_words(ptx_policy policy, std::string_view architecture);

} // namespace lkt
