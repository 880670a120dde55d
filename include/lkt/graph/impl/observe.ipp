// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/graph/observe.hpp>

namespace lkt {

std::string path_of(node_event const& event) {
    std::string const own(event.node);
    return event.parent != nullptr ? path_of(*event.parent) + "/" + own : own;
}

} // namespace lkt
