// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/planning_state.hpp>

namespace lkt {

std::string step_words(past_step const& p) {
    std::string text = "Step " + std::to_string(p.number) + ": " + p.step.text;
    if (p.step.level > 0) text += " (breakdown level " + std::to_string(p.step.level) + ")";
    if (p.step.replan > 0) text += " (replan " + std::to_string(p.step.replan) + ")";
    return text;
}

} // namespace lkt
