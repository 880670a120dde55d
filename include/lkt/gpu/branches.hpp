// SPDX-License-Identifier: BSL-1.0
// Where a compiled kernel decides, and what a run of it saw there.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace lkt {

/// A comparison in a compiled kernel. The numbers are those of its machine code, and the same in
/// each run of it.
struct branch_site {
    std::uint32_t at = 0;
    int line = 0; ///< of the kernel's text; 0: of what surrounds it
    /// Where the kernel goes on, one of two at least; empty: the result is a value.
    std::vector<std::uint32_t> ways{};
    bool equality = false; ///< whether it asks if its operands are equal; of a value
};

/// The type of two compared operands. `steps`: of places that compare nothing.
enum class operand_type : std::uint32_t { steps, bits8, bits16, bits32, bits64, real32, real64 };

/// The bits of an operand as a number; whole ones are signed.
[[nodiscard]] inline double operand_value(operand_type type, std::uint64_t bits) {
    switch (type) {
    case operand_type::bits8:
        return static_cast<std::int8_t>(bits);
    case operand_type::bits16:
        return static_cast<std::int16_t>(bits);
    case operand_type::bits32:
        return static_cast<std::int32_t>(bits);
    case operand_type::real32:
        return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case operand_type::real64:
        return std::bit_cast<double>(bits);
    default:
        return static_cast<double>(static_cast<std::int64_t>(bits));
    }
}
[[nodiscard]] inline bool is_whole(operand_type type) {
    return type != operand_type::real32 && type != operand_type::real64;
}

/// Two operands as they were compared: their bits, in the low bytes.
struct compared_pair {
    std::uint64_t left = 0, right = 0;

    friend bool operator==(compared_pair const&, compared_pair const&) = default;
};

/// What a run compared at one site.
struct comparison_seen {
    std::uint32_t at = 0;
    operand_type type = operand_type::steps;
    std::uint64_t count = 0;
    bool equal = false, less = false, greater = false; ///< whether it occurred
    std::vector<compared_pair> first{};                ///< different ones, as they came
    compared_pair nearest{};                           ///< that differ by least
};

/// What one launch did.
struct branches_seen {
    std::vector<comparison_seen> comparisons;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> taken; ///< from a site, a way of it
    std::uint64_t steps = 0; ///< comparisons, and stretches of code between them, of all threads
};

} // namespace lkt
