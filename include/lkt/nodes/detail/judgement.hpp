// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/tuning_state.hpp>
#include <lkt/nodes/words.hpp>

#include <optional>
#include <string>
#include <vector>

namespace lkt::detail {

/// What an evaluation found out, before any of it is written to the state.
struct judgement {
    attempt_outcome outcome;
    std::vector<tried_configuration> configurations;
    std::string context;
    std::vector<std::string> notes;
    std::optional<tuned_kernel> winner; ///< of an improvement
};

[[nodiscard]] inline std::string in_configuration(configuration const& c) {
    return c.values.empty() ? std::string() : "Configuration: " + configuration_words(c) + ".";
}

} // namespace lkt::detail
