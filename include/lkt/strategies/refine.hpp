// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/nodes/advise.hpp>
#include <lkt/nodes/summarize_search.hpp>
#include <lkt/strategies/detail/knobs.hpp>
#include <lkt/strategies/one_prompt.hpp>
#include <lkt/strategies/terminals.hpp>

#include <cstddef>

namespace lkt {

/// A number that is `from_state` is left to the run: `attempts` to `tuning_state::max_attempts`,
/// the others to `refine_limits`.
struct refine_knobs {
    int rounds = 10;  ///< each one change that the judge names
    int patience = 3; ///< rounds in a row without gain that end it
    int attempts = 2; ///< of the coder, for one change
    friend bool operator==(refine_knobs const&, refine_knobs const&) = default;
};

/// What a run says of the knobs that are left to it.
struct refine_limits {
    int rounds = 10;
    int patience = 3;
    friend bool operator==(refine_limits const&, refine_limits const&) = default;
};

/// What `refine` keeps beside the fields that all strategies have.
struct refine_state : tuning_state {
    std::size_t began = 0;       ///< records in `history` when the strategy began
    std::size_t round_began = 0; ///< ... and when the round did
    int without_gain = 0;        ///< rounds in a row
    refine_limits limits;

    [[nodiscard]] int rounds() const { return limits.rounds; }

    using state_fields = fields_of<tuning_state,
                                   &refine_state::began,
                                   &refine_state::round_began,
                                   &refine_state::without_gain,
                                   &refine_state::limits>;
};

enum class round_end {
    next,
    enough, ///< too many rounds without gain
};

namespace detail {

/// Whether the round brought a faster kernel, and whether another one is worth it.
[[nodiscard]] round_end check_round_gain(refine_state& s, int patience);

template <int Patience>
struct check_gain_fn {
    static constexpr std::string_view name = "check_gain";
    round_end operator()(refine_state& s) const {
        return check_round_gain(s, knob_or(Patience, s.limits.patience));
    }
};

} // namespace detail

/// A judge and a coder. Each round the judge, shown the best kernel with all that is known and
/// measured of it and what became of the last rewrite, names one bottleneck and one change; the
/// coder makes that change and no other, with `attempts` replies to get it right. A judge without a
/// usable answer costs the round. Costs at most `rounds * (3 + attempts)` model calls, mostly two a
/// round.
///
/// Learns from CudaForge (Zhang et al., arXiv:2511.01884): a coder and a judge with contexts of
/// their own, the judge with hardware metrics and the compiler's and tests' feedback, one problem
/// a round; and from the feedback loops of KernelBench (Ouyang et al., arXiv:2502.10517), where
/// execution and profile feedback over several turns beat repeated sampling for some models.
template <refine_knobs K = refine_knobs{},
          class Prompts = default_prompts,
          class JudgePrompts = default_judge_prompts,
          auto Retry = backoff{}>
struct refine {
    static_assert(detail::in_range(1, K.rounds, K.patience, K.attempts),
                  "[lkt.strategies.rounds] refine_knobs::rounds, patience and attempts must be "
                  "positive, or lkt::from_state");

    static constexpr auto retry = Retry;

    /// What the tuner says to the State before a run, and before it goes on.
    refine_limits limits{};
    void adjust(refine_state& s) const { s.limits = limits; }

    /// The judge is shown what counters say of the best kernel: `profiling::automatic`.
    static constexpr bool reads_profiles = true;

    static constexpr auto begin = [](refine_state& s) -> void {
        begin_search(s);
        s.round_began = s.history.size();
        s.without_gain = 0;
    };
    static constexpr advise_fn<JudgePrompts> judge{};
    static constexpr auto coder =
        dsl::sub<one_prompt<one_prompt_knobs{.attempts = K.attempts}, Prompts, Retry>>;
    static constexpr detail::check_gain_fn<K.patience> check_gain{};

    static constexpr auto graph = lkt::graph<refine_state>(
        dsl::node<begin>(dsl::to(judge)),
        dsl::node<judge>(
            dsl::retrying<Retry>(),
            dsl::limit<detail::limit_of<K.rounds, &refine_state::rounds>()>(summarize_search),
            dsl::on<advised::fix>(coder),
            dsl::on<advised::silent>(check_gain)),
        dsl::node<coder>(dsl::on<tuned>(check_gain),
                         dsl::on<unchanged>(check_gain),
                         dsl::on<gave_up>(check_gain)),
        dsl::node<check_gain>(dsl::on<round_end::next>(judge),
                              dsl::on<round_end::enough>(summarize_search)),
        dsl::node<summarize_search>(dsl::on<search_end::improved>(dsl::stop<tuned>),
                                    dsl::on<search_end::correct>(dsl::stop<unchanged>),
                                    dsl::on<search_end::nothing>(dsl::stop<gave_up>)));
};

} // namespace lkt
