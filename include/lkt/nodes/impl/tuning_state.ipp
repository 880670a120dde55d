// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/tuning_state.hpp>

namespace lkt {

bool detail::state_ref::kept_original() const {
    return best.kernel == baseline.kernel && best.config == baseline.config;
}

} // namespace lkt
