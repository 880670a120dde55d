// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>

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
    [[nodiscard]] parameter_value const* find(std::string_view name) const;
    friend bool operator==(configuration const&, configuration const&) = default;
};

/// As an expression writes it, so that it reads back: `16`, `0.5`, `2.0`, `True`, `'row'`.
[[nodiscard]] std::string value_text(parameter_value const& value);

/// As C++ writes it: `16`, `0.5`, `true`, and text as it is (`float`, `row`).
[[nodiscard]] std::string definition_text(parameter_value const& value);

/// `BLOCK=16, layout='row'`; empty for no parameters. Two configurations of one set of parameters
/// are equal exactly when their texts are, so this is a key too.
[[nodiscard]] std::string to_string(configuration const& config);

/// `BLOCK=16,32,64`, the format that `parse_parameter` reads.
[[nodiscard]] std::string to_string(tunable_parameter const& parameter);

/// The first value of each parameter.
[[nodiscard]] configuration default_configuration(std::vector<tunable_parameter> const& parameters);

} // namespace lkt
