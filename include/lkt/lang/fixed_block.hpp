// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/launch.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/lang/fixed_block.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace lkt {

/// The block that the text of a kernel fixes itself, as `@workgroup_size` does in WGSL, over
/// `parameters` alone; nothing where the launch says it. Errors: as `reflect_wgsl`, `wgsl_block`.
[[nodiscard]] result<std::optional<block_formula>>
fixed_block(kernel_source const& source,
            std::string_view kernel,
            std::span<tunable_parameter const> parameters);

} // namespace lkt
