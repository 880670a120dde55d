// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/fixed_block.hpp>

#include <lkt/lang/wgsl/wgsl.hpp>

namespace lkt {

result<std::optional<block_formula>> fixed_block(kernel_source const& source,
                                                 std::string_view kernel,
                                                 std::span<tunable_parameter const> parameters) {
    if (source.language != language::wgsl) return std::optional<block_formula>();
    auto const module = reflect_wgsl(source);
    if (!module) return module.error();
    auto const found = find_wgsl_kernel(source, *module, kernel);
    if (!found) return found.error();
    auto block = wgsl_block(*module, found->entry_point, parameters);
    if (!block) return block.error();
    return std::optional(std::move(*block));
}

} // namespace lkt
