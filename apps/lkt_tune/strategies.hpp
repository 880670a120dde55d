// SPDX-License-Identifier: BSL-1.0
// The strategies that the command line knows, each with its name and its knobs.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/nodes/step_list.hpp>
#include <lkt/strategies/autonomous.hpp>
#include <lkt/strategies/beam.hpp>
#include <lkt/strategies/evolve.hpp>
#include <lkt/strategies/explicit_steps.hpp>
#include <lkt/strategies/one_prompt.hpp>
#include <lkt/strategies/refine.hpp>
#include <lkt/strategies/sample_n.hpp>
#include <lkt/strategies/sweep.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace lkt_tune {

enum class strategy_name {
    one_prompt,
    autonomous,
    explicit_steps,
    sample_n,
    refine,
    beam,
    evolve,
    sweep
};

inline constexpr std::array<std::pair<std::string_view, strategy_name>, 8> strategy_names{{
    {"one-prompt", strategy_name::one_prompt},
    {"autonomous", strategy_name::autonomous},
    {"explicit", strategy_name::explicit_steps},
    {"sample-n", strategy_name::sample_n},
    {"refine", strategy_name::refine},
    {"beam", strategy_name::beam},
    {"evolve", strategy_name::evolve},
    {"sweep", strategy_name::sweep},
}};

/// As the command line spells it.
[[nodiscard]] std::string_view spelling(strategy_name name);
/// Errors name the strategies that there are.
[[nodiscard]] lkt::result<strategy_name> strategy_called(std::string_view spelling);
/// `one-prompt, autonomous, ...`
[[nodiscard]] std::string all_strategies();
/// Its graph as Mermaid, with every node that it can have.
[[nodiscard]] std::string picture(strategy_name name);

// Numbers that a run may choose are left to it.
inline constexpr lkt::one_prompt_knobs one_prompt_knobs{.attempts = lkt::from_state};
inline constexpr lkt::explicit_knobs explicit_knobs{.attempts = lkt::from_state};
inline constexpr lkt::autonomous_knobs autonomous_knobs{.breakdown = true,
                                                        .attempts = lkt::from_state,
                                                        .max_breakdowns = lkt::from_state,
                                                        .max_replans = lkt::from_state,
                                                        .plan_length = lkt::from_state,
                                                        .max_steps = lkt::from_state};
inline constexpr lkt::sample_n_knobs sample_n_knobs{.samples = lkt::from_state};
inline constexpr lkt::refine_knobs refine_knobs{
    .rounds = lkt::from_state, .patience = lkt::from_state, .attempts = lkt::from_state};
inline constexpr lkt::beam_knobs beam_knobs{
    .width = lkt::from_state, .depth = lkt::from_state, .branches = lkt::from_state};
inline constexpr lkt::evolve_knobs evolve_knobs{.generations = lkt::from_state,
                                                .patience = lkt::from_state,
                                                .islands = lkt::from_state,
                                                .population = lkt::from_state,
                                                .children = lkt::from_state,
                                                .migration = lkt::from_state,
                                                .patches = lkt::from_state,
                                                .inspirations = lkt::from_state};

/// What the run says for them.
struct strategy_numbers {
    int attempts = lkt::one_prompt_knobs{}.attempts;
    int refine_attempts = lkt::refine_knobs{}.attempts;
    lkt::planning_limits planning{.max_breakdowns = 0};
    lkt::sample_n_limits sample_n;
    lkt::refine_limits refine;
    lkt::beam_limits beam;
    lkt::evolve_limits evolve;

    [[nodiscard]] int attempts_of(strategy_name name) const {
        return name == strategy_name::refine ? refine_attempts : attempts;
    }
};

/// Calls `run(strategy)` with the strategy of that name; one that asks no model is given as
/// `std::false_type` in a second argument.
template <class Run>
int with_strategy(strategy_name name,
                  std::optional<std::vector<lkt::optimization_step>> steps,
                  strategy_numbers const& numbers,
                  Run&& run) {
    constexpr std::true_type asks;
    switch (name) {
    case strategy_name::one_prompt:
        return run(lkt::one_prompt<one_prompt_knobs>{}, asks);
    case strategy_name::autonomous:
        return run(lkt::autonomous<autonomous_knobs>{}, asks);
    case strategy_name::explicit_steps:
        return run(lkt::explicit_steps<explicit_knobs>{std::move(steps)}, asks);
    case strategy_name::sample_n:
        return run(lkt::sample_n<sample_n_knobs>{numbers.sample_n}, asks);
    case strategy_name::refine:
        return run(lkt::refine<refine_knobs>{numbers.refine}, asks);
    case strategy_name::beam:
        return run(lkt::beam<beam_knobs>{numbers.beam}, asks);
    case strategy_name::evolve:
        return run(lkt::evolve<evolve_knobs>{numbers.evolve}, asks);
    case strategy_name::sweep:
        break;
    }
    return run(lkt::sweep<>{}, std::false_type{});
}

} // namespace lkt_tune
