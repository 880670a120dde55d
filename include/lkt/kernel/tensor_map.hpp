// SPDX-License-Identifier: BSL-1.0
// Tensor maps: what CUDA's copies of whole tiles (TMA) read a buffer by.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/value_type.hpp>
#include <lkt/lang/expression/expression.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

/// A parameter `const __grid_constant__ CUtensorMap NAME`, and a line of the text that says what
/// it describes:
///
///     // lkt: tensor_map A_map = A[M][K], box [128][BK], swizzle 128B, if K % 8 == 0
///
/// The map is no argument of the kernel: whoever launches it makes one of the buffer. Expressions
/// are over the kernel's whole numbers among its arguments and over its tunable parameters.
struct tensor_map {
    std::string name;
    std::string buffer;             ///< the argument that it reads
    std::vector<expression> extent; ///< of the buffer in its elements, the last one contiguous
    std::vector<expression> stride; ///< in elements, of all but the last; empty: without gaps
    std::vector<expression> box;    ///< of a tile, in elements
    std::uint32_t swizzle = 0;      ///< 0, 32, 64 or 128 bytes
    /// Where it is false there is no map: the parameter is all zero, and the kernel does without.
    std::optional<expression> condition{};
    std::size_t parameter = 0; ///< its place among the kernel's parameters, maps included

    /// What follows `tensor_map` in such a line. Errors (rejected, `lkt.kernel.tensor-map`).
    [[nodiscard]] static result<tensor_map> parse(std::string_view text);
    /// All of the above.
    [[nodiscard]] std::vector<expression> expressions() const;
    friend bool operator==(tensor_map const&, tensor_map const&) = default;
};

/// `A_map = A[M][K], box [128][BK], swizzle 128B, if K % 8 == 0`: `parse` reads it back.
[[nodiscard]] std::string to_string(tensor_map const& map);

/// What a copy of tiles takes an element for, and its bytes: vectors are their scalars, and of most
/// small types only the number of bytes counts.
[[nodiscard]] std::pair<scalar_type, std::uint64_t> tensor_element(value_type t);

/// A map's numbers for one launch. The last dimension comes first, as CUDA's driver has it.
struct tensor_layout {
    scalar_type type = scalar_type::uint8; ///< of an element; what is packed counts as bytes
    std::vector<std::uint64_t> extent;     ///< empty: there is no map
    std::vector<std::uint64_t> stride;     ///< in bytes; one fewer
    std::vector<std::uint32_t> box;
    std::uint32_t swizzle = 0;
};

/// The numbers for a buffer of `bytes` bytes, or, as a sentence, why there can be no such map: the
/// hardware's rules, and that it must lie within its buffer, since no tool sees what a copy of
/// tiles reads beside it.
[[nodiscard]] std::variant<tensor_layout, std::string> layout_of(tensor_map const& map,
                                                                 value_type element,
                                                                 std::uint64_t bytes,
                                                                 expression_scope const& scope);

} // namespace lkt
