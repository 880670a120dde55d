// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/value_type.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// Which way the data of an argument flows. `out` means that every element is written and none is
/// read; whatever is less certain is `inout`.
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

/// One parameter of a kernel as its declaration states it.
struct argument {
    std::string name;
    value_type type;      ///< of the value, or of what the pointer points to
    bool pointer = false; ///< a device buffer, not a value
    bool is_const = false;
    bool is_restrict = false;
    direction flow = direction::in;
    std::string spelling; ///< the declaration as written: `float const* __restrict__ A`

    friend bool operator==(argument const&, argument const&) = default;
};

/// A kernel's name and parameters.
struct signature {
    std::string name;
    std::vector<argument> arguments;
    /// As written; empty for a plain kernel and where the name holds the arguments. What is listed
    /// here gets its value from the tunable parameter of the same name, or has a default.
    std::vector<std::string> template_parameters;
    int line = 0; ///< of the declaration in its source, from 1

    friend bool operator==(signature const&, signature const&) = default;
};

} // namespace lkt
