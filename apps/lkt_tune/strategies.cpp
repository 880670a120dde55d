// SPDX-License-Identifier: BSL-1.0
#include "strategies.hpp"

#include <lkt/graph/mermaid.hpp>

namespace lkt_tune {

std::string_view spelling(strategy_name name) {
    for (auto const& [text, known] : strategy_names)
        if (known == name) return text;
    return "unknown";
}

lkt::result<strategy_name> strategy_called(std::string_view spelling) {
    for (auto const& [text, known] : strategy_names)
        if (text == spelling) return known;
    return lkt::error{lkt::condition::rejected,
                      "lkt.tune.usage",
                      "there is no strategy '" + std::string(spelling) + "'",
                      "strategies: " + all_strategies()};
}

std::string all_strategies() {
    std::string all;
    for (auto const& [text, known] : strategy_names)
        all += (all.empty() ? "" : ", ") + std::string(text);
    return all;
}

std::string picture(strategy_name name) {
    constexpr lkt::autonomous_knobs whole{.breakdown = true};
    switch (name) {
    case strategy_name::one_prompt:
        return lkt::to_mermaid<lkt::one_prompt<>>();
    case strategy_name::autonomous:
        return lkt::to_mermaid<lkt::autonomous<whole>>();
    case strategy_name::explicit_steps:
        return lkt::to_mermaid<lkt::explicit_steps<>>();
    case strategy_name::sample_n:
        return lkt::to_mermaid<lkt::sample_n<>>();
    case strategy_name::refine:
        return lkt::to_mermaid<lkt::refine<>>();
    case strategy_name::beam:
        return lkt::to_mermaid<lkt::beam<>>();
    case strategy_name::evolve:
        return lkt::to_mermaid<lkt::evolve<>>();
    case strategy_name::sweep:
        break;
    }
    return lkt::to_mermaid<lkt::sweep<>>();
}

} // namespace lkt_tune
