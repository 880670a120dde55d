// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/nodes/advise.hpp>
#include <lkt/nodes/inquire.hpp>
#include <lkt/nodes/summarize_search.hpp>
#include <lkt/strategies/one_prompt.hpp>
#include <lkt/strategies/terminals.hpp>

#include <array>
#include <cstddef>

namespace lkt {

/// How long a kernel is refined.
struct refine_limits {
    int rounds = 10;
    int patience = 3;

    [[nodiscard]] static constexpr auto allowed() {
        using l = refine_limits;
        return std::array{
            number_of<&l::rounds>(1, 10'000, "changes to try"),
            number_of<&l::patience>(1, 10'000, "rounds in a row without gain that end it")};
    }
    friend bool operator==(refine_limits const&, refine_limits const&) = default;
};

/// The fields of `refine`, in addition to those of all strategies. A State that has fields of these
/// names keeps its own beside them.
template <class Base>
struct refined : Base {
    std::size_t began = 0;       ///< records in `history` when the strategy began
    std::size_t round_began = 0; ///< ... and when the round did
    int without_gain = 0;        ///< rounds in a row
    refine_limits limits;

    using state_fields = fields_of<Base,
                                   &refined::began,
                                   &refined::round_began,
                                   &refined::without_gain,
                                   &refined::limits>;
};
using refine_state = refined<tuning_state>;

enum class round_end {
    next,
    enough, ///< too many rounds without gain
};

namespace detail {

/// Whether the round that began with record `began` brought a faster kernel, and whether another
/// one is worth it.
[[nodiscard]] round_end check_round_gain(state_ref const& s,
                                         std::size_t& began,
                                         int& without_gain,
                                         refine_limits const& limits);

} // namespace detail

/// A judge and a coder. In each round the judge sees the best kernel with all its facts and
/// measurements and the result of the last rewrite, and names one bottleneck and one change; the
/// coder makes only that change, and has `per_step.attempts` replies to get it right. A judge
/// without a usable answer costs the round. Before each round the judge may ask about the kernel
/// (`inquire`). Costs at most `rounds * (5 + attempts)` model calls, mostly two or three a round.
///
/// Learns from CudaForge (Zhang et al., arXiv:2511.01884): a coder and a judge with contexts of
/// their own, the judge with hardware metrics and the compiler's and tests' feedback, one problem
/// a round; and from the feedback loops of KernelBench (Ouyang et al., arXiv:2502.10517), where
/// execution and profile feedback over several turns beat repeated sampling for some models.
template <class Prompts = default_prompts,
          class JudgePrompts = default_judge_prompts,
          auto Retry = backoff{},
          class State = refine_state>
struct refine {
    refine_limits limits{};
    step_limits per_step{.attempts = 2}; ///< of the coder
    using number_fields = fields<&refine::limits, &refine::per_step>;
    void adjust(State& s) const {
        s.limits = limits;
        s.per_step = per_step;
    }

    static constexpr auto retry = Retry;

    /// The judge is shown what counters say of the best kernel: `profiling::automatic`.
    static constexpr bool reads_profiles = true;
    static constexpr bool asks_reviewer = true;

    static constexpr auto begin = [](State& s) -> void {
        begin_search(s);
        s.round_began = s.history.size();
        s.without_gain = 0;
    };
    static constexpr inquire_fn<> inquire{};
    static constexpr advise_fn<JudgePrompts> judge{};
    static constexpr auto coder = dsl::sub<one_prompt<one_prompt_knobs{}, Prompts, Retry>>;
    static constexpr auto check_gain = [](State& s) -> round_end {
        return detail::check_round_gain(
            detail::state_ref(s), s.round_began, s.without_gain, s.limits);
    };

    static constexpr auto graph = [] {
        using namespace dsl;
        return lkt::graph<State>(
            node<begin>(to(inquire)),
            node<inquire>(retrying<Retry>(),
                          limit<&State::limits, &refine_limits::rounds>(summarize_search),
                          to(judge)),
            node<judge>(
                retrying<Retry>(), on<advised::fix>(coder), on<advised::silent>(check_gain)),
            node<coder>(to(check_gain)),
            node<check_gain>(on<round_end::next>(inquire), on<round_end::enough>(summarize_search)),
            last_node<summarize_search>());
    }();
};

} // namespace lkt
