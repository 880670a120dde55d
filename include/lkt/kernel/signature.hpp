// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/argument.hpp>
#include <lkt/kernel/tensor_map.hpp>
#include <lkt/kernel/wrong_signature.hpp>
#include <lkt/lang/expression/expression.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace lkt {

/// A kernel's name and parameters.
struct signature {
    std::string name;
    std::vector<argument> arguments;
    /// As written; empty for a plain kernel and where the name holds the arguments. A parameter
    /// listed here gets its value from the tunable parameter of the same name, or has a default.
    std::vector<std::string> template_parameters;
    int line = 0; ///< of the declaration in its source, from 1
    /// The block's extents where the text itself fixes them, as `@workgroup_size` does in WGSL;
    /// over the tunable parameters.
    std::optional<std::array<expression, 3>> block{};
    /// Parameters that are no arguments: who launches the kernel makes them. In their order.
    std::vector<tensor_map> tensor_maps{};

    friend bool operator==(signature const&, signature const&) = default;
};

/// `void k(float const* a, int n)`, as written; in WGSL the entry point and its buffers.
[[nodiscard]] std::string to_string(signature const& s);

/// Whether both have the same number of arguments, of the same types and in the same structs.
[[nodiscard]] bool same_arguments(signature const& a, signature const& b);

/// Nothing if `candidate` can be launched in place of `reference`: name, number and types of the
/// arguments are the same. Names of parameters and qualifiers may differ, and so may tensor maps,
/// but what the reference writes must not be const. Where one of the two is WGSL, whose types are
/// fewer, int32 and uint32 are one type, a bool value is a uint32, a buffer may have vectors of two
/// or four in the place of scalars, and one of 8- or 16-bit values may be an `array<u32>`.
[[nodiscard]] std::optional<wrong_signature> compare_signatures(signature const& reference,
                                                                signature const& candidate);

} // namespace lkt
