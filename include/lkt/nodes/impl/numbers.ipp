// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/numbers.hpp>

#include <string>

namespace lkt::detail {

error wrong_number(std::string_view strategy, number const& n, int value) {
    return {condition::rejected,
            "lkt.strategies.number",
            std::string(strategy) + ": " + std::string(n.name) + " is " + std::to_string(value) +
                ", but must be " + std::to_string(n.min) + " to " + std::to_string(n.max),
            std::string(n.name) + ": " + std::string(n.what)};
}

} // namespace lkt::detail
