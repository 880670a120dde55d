// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/check.hpp>

namespace lkt {

std::string_view to_string(check_cost cost) {
    switch (cost) {
    case check_cost::reading:
        return "reading";
    case check_cost::launches:
        return "launches";
    case check_cost::many_launches:
        return "many launches";
    case check_cost::own_build:
        return "own build";
    case check_cost::all_configurations:
        return "all configurations";
    }
    return "unknown";
}

std::string_view to_string(moment when) {
    switch (when) {
    case moment::proposal:
        return "proposal";
    case moment::configuration:
        return "configuration";
    case moment::finalist:
        return "finalist";
    case moment::confirmation:
        return "confirmation";
    case moment::verification:
        return "verification";
    }
    return "unknown";
}

std::vector<result<std::optional<failure>>>
checks_ref::run_all(std::size_t k, std::span<check_call* const> calls) const {
    if (entries_[k].run_all) return entries_[k].run_all(checks_, calls);
    std::vector<result<std::optional<failure>>> all;
    all.reserve(calls.size());
    for (check_call* call : calls) all.push_back(entries_[k].run(checks_, *call));
    return all;
}

} // namespace lkt
