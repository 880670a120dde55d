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
    std::string clauses;
    auto const add = [&](std::string const& clause) {
        clauses += (clauses.empty() ? " (" : ", ") + clause;
    };
    if (node.retries) add("retries");
    if (!node.timeout.empty()) add("at most " + node.timeout);
    if (node.cached) add("cached");
    return node.name + (clauses.empty() ? "" : clauses + ")");
}

std::string picture_head(picture const& drawn, std::string const& prefix, int target) {
    auto const own = picture_id(prefix, target);
    if (target < 0) return own;
    auto const& node = drawn.nodes[static_cast<std::size_t>(target)];
    if (node.parallel) return own + "_fork";
    return node.nested.empty() ? own : picture_head(node.nested.front(), own + "_", 0);
}

} // namespace lkt::detail
