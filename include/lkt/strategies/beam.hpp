// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/nodes/batch.hpp>
#include <lkt/nodes/inquire.hpp>
#include <lkt/nodes/profile_shown.hpp>
#include <lkt/nodes/summarize_search.hpp>
#include <lkt/strategies/detail/ask_all.hpp>
#include <lkt/strategies/terminals.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace lkt {

/// How far a beam goes.
struct beam_limits {
    int width = 3;
    int depth = 4;
    int branches = 3;

    [[nodiscard]] static constexpr auto allowed() {
        using l = beam_limits;
        return std::array{
            number_of<&l::width>(1, 1'000, "kernels that are kept"),
            number_of<&l::depth>(1, 10'000, "levels"),
            number_of<&l::branches>(1, 1'000, "rewrites a level for each place in the beam")};
    }
    friend bool operator==(beam_limits const&, beam_limits const&) = default;
};

/// The fields of `beam`, in addition to those of all strategies.
struct beam_state : batch_state {
    std::size_t began = 0;          ///< records in `history` when the strategy began
    std::vector<tuned_kernel> beam; ///< the kernels to go on from, the fastest first
    beam_limits limits;

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
void expand_beam(beam_state& s);
/// The fastest of the beam and of the proposals that passed every check.
[[nodiscard]] beam_end narrow_beam(beam_state& s);
[[nodiscard]] result<evaluated>
evaluate_beam(beam_state& s, tools_ref const& tools, gpu_ref gpu, search_ref policy);

struct rewrite_beam {
    [[nodiscard]] static candidate const& before(beam_state const& s, batch_proposal const& r) {
        return s.beam[r.parent].kernel;
    }
    template <class Prompts>
    [[nodiscard]] static conversation
    turns(beam_state const& s, batch_proposal const& r, Prompts const& prompts, recall how) {
        auto const past = before_round(s.history, s.batch);
        brief const b{
            s.task, s.beam[r.parent], s.baseline.time, s.device, s.step, past, 0, asked_in(s)};
        return conversation_of(recalled(b, how), {}, prompts);
    }
};

struct beam_parents {
    kept_kernels operator()(beam_state& s) const;
};

} // namespace detail

/// Keeps several kernels and continues from each of them. A level asks for `width * branches`
/// rewrites of the kernels in the beam, at once, and measures them side by side with the beam; the
/// `width` fastest that pass every check form the next beam, so that a slower kernel can still lead
/// to the fastest one. Ends after `depth` levels, or after a level that adds nothing to the beam.
/// Costs at most `depth * width * branches` model calls, and those of `inquire` for each kernel of
/// the beam.
///
/// Learns from Autocomp (Hong et al., arXiv:2505.18574), a beam search over optimisation steps with
/// measured latency as its score, and from the branching searches of test-time scaling for kernels
/// (Stanford CRFM's fast kernels, 2025); before language models, beams and evolution over measured
/// schedules were how Halide's and TVM's tuners searched (Adams et al., SIGGRAPH 2019; Zheng et
/// al., Ansor, OSDI 2020).
template <class Prompts = default_prompts, auto Retry = backoff{}>
struct beam {
    beam_limits limits{};
    batch_limits calls{};
    using number_fields = fields<&beam::limits, &beam::calls>;
    void adjust(beam_state& s) const {
        s.limits = limits;
        s.calls = calls;
    }

    static constexpr auto retry = Retry;

    /// Each kernel of the beam is shown with its profile: `profiling::automatic`.
    static constexpr bool reads_profiles = true;

    static constexpr auto begin = [](beam_state& s) -> void { detail::begin_beam(s); };
    static constexpr auto expand = [](beam_state& s) -> void { detail::expand_beam(s); };
    static constexpr profile_shown_fn<detail::beam_parents> profile{};
    static constexpr inquire_fn<detail::beam_parents, default_inquiry_prompts, purpose::write>
        inquire{};
    static constexpr ask_batch_fn<detail::rewrite_beam, Prompts> ask_batch{};
    static constexpr auto ask = dsl::sub<detail::ask_all<ask_batch, Retry, beam_state>>;
    static constexpr auto evaluate_beam =
        []<tools_with_gpu Tools>(beam_state& s, Tools& tools) -> result<evaluated> {
        return detail::evaluate_beam(
            s, detail::tools_ref(tools), gpu_ref(tools.gpu), detail::search_of(tools));
    };
    static constexpr auto narrow = [](beam_state& s) -> beam_end { return detail::narrow_beam(s); };

    static constexpr auto graph = [] {
        using namespace dsl;
        return lkt::graph<beam_state>(
            node<begin>(to(expand)),
            node<expand>(limit<&beam_state::limits, &beam_limits::depth>(summarize_search),
                         to(profile)),
            node<profile>(retrying<Retry>(), to(inquire)),
            node<inquire>(retrying<Retry>(), to(ask)),
            node<ask>(to(evaluate_beam)),
            node<evaluate_beam>(retrying<Retry>(), to(narrow)),
            node<narrow>(on<beam_end::moved>(expand), on<beam_end::stuck>(summarize_search)),
            last_node<summarize_search>());
    }();
};

} // namespace lkt
