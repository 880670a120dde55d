// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/text_location.hpp>

namespace lkt {

std::string to_string(text_location where) {
    if (where.line <= 0) return {};
    std::string text = "line " + std::to_string(where.line);
    if (where.column > 0) text += ", column " + std::to_string(where.column);
    return text;
}

} // namespace lkt
