// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

/// What a tunable parameter, a problem size or an expression can be.
using parameter_value = std::variant<std::int64_t, double, bool, std::string>;

/// A name and the values to choose from. It reaches CUDA and HIP text as a preprocessor
/// definition, WGSL as an override constant.
struct tunable_parameter {
    std::string name;
    std::vector<parameter_value> values; ///< at least one; the first is the default

    friend bool operator==(tunable_parameter const&, tunable_parameter const&) = default;
};

/// One value for each tunable parameter, in the order of their declaration.
struct configuration {
    std::vector<std::pair<std::string, parameter_value>> values;

    /// The value of `name`, or null.
    [[nodiscard]] parameter_value const* find(std::string_view name) const {
        for (auto const& [n, v] : values)
            if (n == name) return &v;
        return nullptr;
    }
    friend bool operator==(configuration const&, configuration const&) = default;
};

} // namespace lkt
