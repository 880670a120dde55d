// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/graph/checkpointer.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::detail {

std::string joined_names(std::string_view outer, std::vector<std::string> const& inside) {
    std::string all(outer);
    if (inside.empty()) return all;
    all += inside.size() == 1 ? "/" : "/{";
    for (std::size_t i = 0; i < inside.size(); ++i) all += (i == 0 ? "" : ", ") + inside[i];
    return inside.size() == 1 ? all : all + "}";
}

} // namespace lkt::detail
