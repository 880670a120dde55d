// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <string>
#include <variant>

namespace lkt {

/// WGSL text whose overrides have the configuration's values as their defaults, so that it means
/// the same in a pipeline without constants; every other byte stays. `refused` and errors as
/// `override_values_of` and `reflect_wgsl`.
[[nodiscard]] result<std::variant<std::string, refused>>
wgsl_with_defaults(kernel_source const& source, configuration const& config);

} // namespace lkt
