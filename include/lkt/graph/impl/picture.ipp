// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/graph/picture.hpp>

#include <cstddef>

namespace lkt::detail {

std::string picture_id(std::string const& prefix, int target) {
    return prefix +
           (target >= 0 ? "n" + std::to_string(target) : "t" + std::to_string(-1 - target));
}

std::string picture_label(picture::node const& node) {
    return node.name + (node.retries ? " (retries)" : "");
}

std::string picture_head(picture const& drawn, std::string const& prefix, int target) {
    auto const own = picture_id(prefix, target);
    if (target < 0) return own;
    auto const& node = drawn.nodes[static_cast<std::size_t>(target)];
    return node.nested.empty() ? own : picture_head(node.nested.front(), own + "_", 0);
}

} // namespace lkt::detail
