// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/tuning_state.hpp>

namespace lkt {

tuning_state::tuning_state() = default;
tuning_state::tuning_state(tuning_state const&) = default;
tuning_state::tuning_state(tuning_state&&) noexcept = default;
tuning_state& tuning_state::operator=(tuning_state const&) = default;
tuning_state& tuning_state::operator=(tuning_state&&) noexcept = default;
tuning_state::~tuning_state() = default;

bool detail::state_ref::kept_original() const {
    return best.kernel == baseline.kernel && best.config == baseline.config;
}

} // namespace lkt
