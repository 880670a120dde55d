// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/strategies/catalogue.hpp>

#include <lkt/core/near_name.hpp>

#include <utility>

namespace lkt::detail {

error unknown_strategy(std::string_view name, std::string names) {
    return {condition::rejected,
            "lkt.strategies.unknown",
            "unknown strategy '" + std::string(name) + "'" + did_you_mean(name, names),
            "strategies: " + std::move(names)};
}

} // namespace lkt::detail
