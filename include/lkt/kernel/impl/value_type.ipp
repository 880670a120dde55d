// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/value_type.hpp>

namespace lkt {

std::string to_string(value_type t) {
    std::string name(to_string(t.scalar));
    return t.lanes == 1 ? name : name + "x" + std::to_string(t.lanes);
}

} // namespace lkt
