// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/source.hpp>

#include <string>
#include <string_view>
#include <variant>

namespace lkt {

/// The kernel in a model's reply: the last fenced block that defines one (`__global__` in CUDA and
/// HIP, `@compute` in WGSL), or else the text outside of all blocks, if it is code from its first
/// line to its last. Blocks are never joined. Reasoning between think tags is left out. The code is
/// as the model wrote it, except for line ends (LF) and the fence's indentation.
[[nodiscard]] std::variant<std::string, no_code> extract_code(std::string_view reply, language in);

} // namespace lkt
