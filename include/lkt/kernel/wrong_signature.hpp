// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <string>

namespace lkt {

/// Name or parameters differ from the reference's, or the text cannot be read at all.
struct wrong_signature {
    std::string expected; ///< empty: the text cannot be read
    std::string got;      ///< or why there is none
};

} // namespace lkt
