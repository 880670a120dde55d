// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/fields.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/nodes/ending.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/strategies/evolve.hpp>
#include <lkt/strategies/one_prompt.hpp>
#include <lkt/strategies/refine.hpp>
#include <lkt/strategies/terminals.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace lkt {

/// How far each stage of `escalate` goes, and when the next one begins.
struct escalate_limits {
    int rounds = 6;
    int generations = 3;
    int patience = 2;
    int islands = 2;
    int children = 4;
    int enough = 95;
    int gain = 5;

    [[nodiscard]] static constexpr auto allowed() {
        using l = escalate_limits;
        return std::array{
            number_of<&l::rounds>(1, 10'000, "changes to try"),
            number_of<&l::generations>(1, 10'000, "how many"),
            number_of<&l::patience>(1, 10'000, "both"),
            number_of<&l::islands>(1, 100, "populations that live apart"),
            number_of<&l::children>(1, 1'000, "rewrites of an island in a generation"),
            number_of<&l::enough>(1, 100, "no further stage at this % of the roof"),
            number_of<&l::gain>(0, 10'000, "% a stage must gain where no roof is known")};
    }
    friend bool operator==(escalate_limits const&, escalate_limits const&) = default;
};

/// The fields of `escalate`, in addition to those of its stages.
struct escalate_state : refined<evolve_state> {
    std::size_t run_began = 0;   ///< records in `history` when the strategy began
    std::size_t stage_began = 0; ///< ... and when its stage did
    std::string best_from;       ///< the stage that brought the best kernel; empty: the original
    escalate_limits stages;

    using state_fields = fields_of<refined<evolve_state>,
                                   &escalate_state::run_began,
                                   &escalate_state::stage_began,
                                   &escalate_state::best_from,
                                   &escalate_state::stages>;
};

enum class weighed {
    next,
    enough, ///< another stage is not worth its calls
};

namespace detail {

void begin_stages(escalate_state& s);
/// Whether the stage `next` is worth its calls after the stage `ended`; the reason becomes a note.
/// Errors: what `must_end_search` says, with the State as it was.
[[nodiscard]] result<weighed> weigh_stage(escalate_state& s,
                                          tools_ref const& tools,
                                          std::string_view ended,
                                          std::string_view next);
/// Which attempt, of which stage, is the best kernel becomes a note.
[[nodiscard]] ending conclude_stages(escalate_state& s);

} // namespace detail

/// The cheapest strategy first: one request (`one_prompt`), then `refine`, then `evolve`, each from
/// the best kernel so far. The next stage begins
/// \li while no kernel is faster than the original
/// \li where the best kernel reaches less than `enough` per cent of a measured roof
///     (`roofline_of`)
/// \li where none is known, or only that of memory, if the last stage made the kernel at least
///     `gain` per cent faster
///
/// Otherwise the strategy ends. The notes say why in each case. Costs at most
/// `attempts + rounds * (5 + attempts) + 3 * generations * islands * children` model calls.
template <class Prompts = default_prompts,
          class JudgePrompts = default_judge_prompts,
          class Variation = default_variation_prompts,
          auto Retry = backoff{}>
struct escalate {
    escalate_limits limits{};
    step_limits per_step{}; ///< of the first request, and of the coder in each round
    batch_limits calls{};   ///< of the last stage
    using number_fields = fields<&escalate::limits, &escalate::per_step, &escalate::calls>;
    void adjust(escalate_state& s) const {
        s.stages = limits;
        s.per_step = per_step;
        s.calls = calls;
        s.limits = {.rounds = limits.rounds, .patience = limits.patience};
        evolve_limits& of_evolution = s.evolve_state::limits;
        of_evolution.generations = limits.generations;
        of_evolution.patience = limits.patience;
        of_evolution.islands = limits.islands;
        of_evolution.children = limits.children;
    }

    static constexpr auto retry = Retry;

    /// The later stages are shown what counters say: `profiling::automatic`.
    static constexpr bool reads_profiles = true;
    static constexpr bool asks_reviewer = true;

    static constexpr auto begin = [](escalate_state& s) -> void { detail::begin_stages(s); };
    static constexpr auto request = dsl::sub<lkt::one_prompt<one_prompt_knobs{}, Prompts, Retry>>;
    static constexpr auto weigh_request = []<class Tools>(escalate_state& s,
                                                          Tools& tools) -> result<weighed> {
        return detail::weigh_stage(s, detail::tools_ref(tools), "one-prompt", "refine");
    };
    static constexpr auto refinement =
        dsl::sub<lkt::refine<Prompts, JudgePrompts, Retry, refined<evolve_state>>>;
    static constexpr auto weigh_refinement = []<class Tools>(escalate_state& s,
                                                             Tools& tools) -> result<weighed> {
        return detail::weigh_stage(s, detail::tools_ref(tools), "refine", "evolve");
    };
    static constexpr auto evolution = dsl::sub<lkt::evolve<Prompts, Variation, Retry>>;
    static constexpr auto conclude = [](escalate_state& s) -> ending {
        return detail::conclude_stages(s);
    };

    static constexpr auto graph = [] {
        using namespace dsl;
        return lkt::graph<escalate_state>(
            node<begin>(to(request)),
            node<request>(to(weigh_request)),
            node<weigh_request>(on<weighed::next>(refinement), on<weighed::enough>(conclude)),
            node<refinement>(to(weigh_refinement)),
            node<weigh_refinement>(on<weighed::next>(evolution), on<weighed::enough>(conclude)),
            node<evolution>(to(conclude)),
            last_node<conclude>());
    }();
};

} // namespace lkt
