// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/value_type.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lkt {

/// The direction of an argument's data. `out` means that every element is written and none is read;
/// anything less certain is `inout`.
enum class direction : unsigned char { in, out, inout };

[[nodiscard]] constexpr std::string_view to_string(direction d) {
    switch (d) {
    case direction::in:
        return "in";
    case direction::out:
        return "out";
    case direction::inout:
        return "inout";
    }
    return "unknown";
}

/// The place of a value in a struct that a kernel takes as a whole: a parameter in CUDA, a uniform
/// in WGSL.
struct record_member {
    std::string record;       ///< the struct's name among the parameters
    std::uint32_t offset = 0; ///< bytes from its beginning
    std::uint32_t size = 0;   ///< bytes of the whole struct

    friend bool operator==(record_member const&, record_member const&) = default;
};

/// One parameter of a kernel as its declaration states it, or one member of a struct among them.
struct argument {
    std::string name;
    value_type type;      ///< of the value, or of what the pointer points to
    bool pointer = false; ///< a device buffer, not a value
    bool is_const = false;
    bool is_restrict = false;
    direction flow = direction::in;
    std::string spelling; ///< the declaration as written: `float const* __restrict__ A`
    std::optional<record_member> within{}; ///< members of one struct follow one another
    /// A `__constant__` array of the text, filled before the launch: a buffer with this many values
    /// that is not a parameter. 0: an ordinary argument.
    std::uint64_t constant_count = 0;

    friend bool operator==(argument const&, argument const&) = default;
};

} // namespace lkt
