// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

/// A kernel's text in one configuration, for whoever compiles it without lkt.
struct tuned_text {
    /// CUDA and HIP: names and what to `#define` them as, before the text. A template parameter is
    /// none of them: it gets its value as an argument.
    std::vector<std::pair<std::string, std::string>> macros;
    std::string text; ///< without definitions of those names; WGSL: with the values as defaults
};

/// As a back end compiles the configuration. `refused` and errors as `with_definitions`.
[[nodiscard]] result<std::variant<tuned_text, refused>> tuned_text_of(kernel_source const& source,
                                                                      configuration const& config);

} // namespace lkt
