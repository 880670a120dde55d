// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

namespace lkt_tune {

/// What of all that lkt can use is there, what is not, and what to do about it.
struct diagnosis {
    std::string text;
    bool host_works = false; ///< a kernel was compiled and ran on the CPU
};
[[nodiscard]] diagnosis examine_machine();

} // namespace lkt_tune
