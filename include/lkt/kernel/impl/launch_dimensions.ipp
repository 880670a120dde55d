// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/launch_dimensions.hpp>

namespace lkt {

std::string to_string(launch_dimensions const& d) {
    auto const extents = [](dim3 e) {
        std::string text = std::to_string(e.x);
        if (e.y != 1 || e.z != 1) text += "x" + std::to_string(e.y);
        if (e.z != 1) text += "x" + std::to_string(e.z);
        return text;
    };
    std::string text = "grid " + extents(d.grid) + ", block " + extents(d.block);
    if (d.shared_bytes > 0) text += ", " + std::to_string(d.shared_bytes) + " B shared";
    return text;
}

} // namespace lkt
