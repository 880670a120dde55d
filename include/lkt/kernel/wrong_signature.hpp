// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <string>

namespace lkt {

/// Name or parameters differ from the reference's.
struct wrong_signature {
    std::string expected, got;
};

} // namespace lkt
