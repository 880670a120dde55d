// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/step_list.hpp>

#include <vector>

namespace lkt {

/// The 15 steps that `explicit_steps` takes where it is given no others. Their parameters are named
/// in capitals as in the library's examples (`BLOCK_X`).
[[nodiscard]] std::vector<optimization_step> default_steps();

} // namespace lkt
