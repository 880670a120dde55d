// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/nodes/batch.hpp>
#include <lkt/nodes/profile_shown.hpp>
#include <lkt/nodes/summarize_search.hpp>
#include <lkt/strategies/detail/ask_all.hpp>
#include <lkt/strategies/detail/knobs.hpp>
#include <lkt/strategies/terminals.hpp>

#include <cstddef>
#include <vector>

namespace lkt {

/// `width`, `depth` and `branches` may be left to the run (`from_state`).
struct beam_knobs {
    int width = 3;     ///< kernels that are kept
    int depth = 4;     ///< levels
    int branches = 3;  ///< proposals a level for each place in the beam
    int in_flight = 8; ///< calls at the same time, for a model that does not see to that itself
    friend bool operator==(beam_knobs const&, beam_knobs const&) = default;
};

/// What a run says of the knobs that are left to it.
struct beam_limits {
    int width = 3;
    int depth = 4;
    int branches = 3;
    friend bool operator==(beam_limits const&, beam_limits const&) = default;
};

/// What `beam` keeps beside the fields that all strategies have.
struct beam_state : batch_state {
    std::size_t began = 0;          ///< records in `history` when the strategy began
    std::vector<tuned_kernel> beam; ///< the kernels to go on from, the fastest first
    beam_limits limits;

    [[nodiscard]] int depth() const { return limits.depth; }

    using state_fields =
        fields_of<batch_state, &beam_state::began, &beam_state::beam, &beam_state::limits>;
};

enum class beam_end {
    moved, ///< a new kernel entered the beam
    stuck, ///< none did
};

namespace detail {

/// The beam is the best kernel so far, alone.
void begin_beam(beam_state& s);
/// `width * branches` proposals, shared out among the kernels of the beam.
void expand_beam(beam_state& s, int width, int branches);
/// The fastest of the beam and of the proposals that passed every check.
[[nodiscard]] beam_end narrow_beam(beam_state& s, int width);
[[nodiscard]] result<evaluated>
evaluate_beam(beam_state& s, tools_ref const& tools, gpu_ref gpu, search_ref policy, int width);

struct rewrite_beam {
    [[nodiscard]] static candidate const& before(beam_state const& s, batch_proposal const& r) {
        return s.beam[r.parent].kernel;
    }
    template <class Prompts>
    [[nodiscard]] static conversation
    turns(beam_state const& s, batch_proposal const& r, Prompts const& prompts, recall how) {
        auto const past = before_round(s.history, s.batch);
        brief const b{s.task, s.beam[r.parent], s.baseline.time, s.device, s.step, past};
        return conversation_of(recalled(b, how), {}, prompts);
    }
};

struct beam_parents {
    kept_kernels operator()(beam_state& s) const;
};
template <int Width, int Branches>
struct expand_beam_fn {
    static constexpr std::string_view name = "expand";
    void operator()(beam_state& s) const {
        expand_beam(s, knob_or(Width, s.limits.width), knob_or(Branches, s.limits.branches));
    }
};
template <int Width>
struct narrow_beam_fn {
    static constexpr std::string_view name = "narrow";
    beam_end operator()(beam_state& s) const {
        return narrow_beam(s, knob_or(Width, s.limits.width));
    }
};
template <int Width>
struct evaluate_beam_fn {
    static constexpr std::string_view name = "evaluate_beam";
    template <tools_with_gpu Tools>
    auto operator()(beam_state& s, Tools& tools) const -> result<evaluated> {
        int const width = knob_or(Width, s.limits.width);
        return evaluate_beam(s, tools_ref(tools), gpu_ref(tools.gpu), search_of(tools), width);
    }
};

} // namespace detail

/// Keeps several kernels and goes on from each of them. A level asks for `width * branches`
/// rewrites of the kernels in the beam, at once, and measures them side by side with the beam; the
/// `width` fastest that pass every check are the next beam, so that a kernel that is not the
/// fastest yet can still lead to the one that is. Ends after `depth` levels, or at one that brings
/// nothing new into the beam. Costs at most `depth * width * branches` model calls.
///
/// Learns from Autocomp (Hong et al., arXiv:2505.18574), a beam search over optimisation steps with
/// measured latency as its score, and from the branching searches of test-time scaling for kernels
/// (Stanford CRFM's fast kernels, 2025); before language models, beams and evolution over measured
/// schedules were how Halide's and TVM's tuners searched (Adams et al., SIGGRAPH 2019; Zheng et
/// al., Ansor, OSDI 2020).
template <beam_knobs K = beam_knobs{}, class Prompts = default_prompts, auto Retry = backoff{}>
struct beam {
    static_assert(detail::in_range(1, K.width, K.depth, K.branches) && K.in_flight > 0,
                  "[lkt.strategies.beam] beam_knobs::width, depth, branches and in_flight must be "
                  "positive; all but in_flight may be lkt::from_state");

    static constexpr auto retry = Retry;

    /// What the tuner says to the State before a run, and before it goes on.
    beam_limits limits{};
    void adjust(beam_state& s) const { s.limits = limits; }

    /// Each kernel of the beam is shown with its profile: `profiling::automatic`.
    static constexpr bool reads_profiles = true;

    static constexpr auto begin = [](beam_state& s) -> void { detail::begin_beam(s); };
    static constexpr detail::expand_beam_fn<K.width, K.branches> expand{};
    static constexpr profile_shown_fn<detail::beam_parents> profile{};
    static constexpr ask_batch_fn<detail::rewrite_beam, Prompts, std::size_t{K.in_flight}>
        ask_batch{};
    static constexpr auto ask = dsl::sub<detail::ask_all<ask_batch, Retry, beam_state>>;
    static constexpr detail::evaluate_beam_fn<K.width> evaluate_beam{};
    static constexpr detail::narrow_beam_fn<K.width> narrow{};

    static constexpr auto graph = lkt::graph<beam_state>(
        dsl::node<begin>(dsl::to(expand)),
        dsl::node<expand>(
            dsl::limit<detail::limit_of<K.depth, &beam_state::depth>()>(summarize_search),
            dsl::to(profile)),
        dsl::node<profile>(dsl::retrying<Retry>(), dsl::to(ask)),
        dsl::node<ask>(dsl::on<detail::replies_came>(evaluate_beam)),
        dsl::node<evaluate_beam>(dsl::retrying<Retry>(),
                                 dsl::on<evaluated::faster>(narrow),
                                 dsl::on<evaluated::slower>(narrow),
                                 dsl::on<evaluated::failed>(narrow)),
        dsl::node<narrow>(dsl::on<beam_end::moved>(expand),
                          dsl::on<beam_end::stuck>(summarize_search)),
        dsl::node<summarize_search>(dsl::on<search_end::improved>(dsl::stop<tuned>),
                                    dsl::on<search_end::correct>(dsl::stop<unchanged>),
                                    dsl::on<search_end::nothing>(dsl::stop<gave_up>)));
};

} // namespace lkt
