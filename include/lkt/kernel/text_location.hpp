// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <string>

namespace lkt {

/// A place in a kernel's text; `line` from 1, 0 where unknown.
struct text_location {
    int line = 0;
    int column = 0;
    friend bool operator==(text_location, text_location) = default;
};

/// `line 3, column 7`, `line 3`, or nothing where unknown.
[[nodiscard]] std::string to_string(text_location where);

} // namespace lkt
