// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/fields.hpp>
#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/llm/prompt.hpp>
#include <lkt/nodes/archive.hpp>
#include <lkt/nodes/batch.hpp>
#include <lkt/nodes/profile_shown.hpp>
#include <lkt/nodes/summarize_search.hpp>
#include <lkt/strategies/detail/ask_all.hpp>
#include <lkt/strategies/detail/knobs.hpp>
#include <lkt/strategies/terminals.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lkt {

/// The numbers down to `likeness` may be left to the run (`from_state`).
struct evolve_knobs {
    int generations = 5;
    int patience = 2;     ///< generations in a row without a new kernel in the archive that end it
    int islands = 2;      ///< populations that live apart
    int population = 6;   ///< kernels of an island, at most
    int children = 4;     ///< proposals of an island in a generation
    int migration = 2;    ///< generations between two visits of the islands' best; 0: never
    int patches = 50;     ///< per cent of the proposals that are asked for as patches
    int inspirations = 2; ///< other kernels of the island that a rewrite is shown
    int likeness = 998;   ///< per mille (`similarity`): what is more like a correct kernel is left
    std::uint64_t seed = 1; ///< of what is drawn
    int in_flight = 8;      ///< calls at the same time, see `sample_n_knobs`
    friend bool operator==(evolve_knobs const&, evolve_knobs const&) = default;
};

/// What a run says of the knobs that are left to it.
struct evolve_limits {
    int generations = 5;
    int patience = 2;
    int islands = 2;
    int population = 6;
    int children = 4;
    int migration = 2;
    int patches = 50;
    int inspirations = 2;
    int likeness = 998;
    friend bool operator==(evolve_limits const&, evolve_limits const&) = default;
};

/// What is asked of one child.
struct offspring_request {
    std::size_t parent = 0;                ///< in the archive
    std::vector<std::size_t> inspirations; ///< in the archive
};

/// What `evolve` keeps beside the fields that all strategies have.
struct evolve_state : batch_state {
    std::size_t began = 0; ///< records in `history` when the strategy began
    std::vector<elite> archive;
    std::vector<offspring_request>
        offspring_requests;  ///< one for each proposal, whose `parent` is the index
    std::uint64_t draws = 0; ///< random numbers that were drawn
    int generation = 0;      ///< those that are over
    int stagnant = 0;        ///< those in a row without a new kernel in the archive
    evolve_limits limits;

    [[nodiscard]] int generations() const { return limits.generations; }

    using state_fields = fields_of<batch_state,
                                   &evolve_state::began,
                                   &evolve_state::archive,
                                   &evolve_state::offspring_requests,
                                   &evolve_state::draws,
                                   &evolve_state::generation,
                                   &evolve_state::stagnant,
                                   &evolve_state::limits>;
};

/// What a child's request adds to the task.
struct variation_words {
    std::vector<std::string> others;  ///< further kernels with their times, fenced
    std::optional<std::string> patch; ///< how a patch is written; absent for a whole kernel
    using state_fields = fields<&variation_words::others, &variation_words::patch>;
};

/// What `evolve` adds to the task of each request. To use other words, assign to them.
struct default_variation_prompts {
    prompt<variation_words> more;

    default_variation_prompts();
    [[nodiscard]] std::string
    operator()(brief const& b, std::span<tuned_kernel const* const> others, bool patch) const;
    friend bool operator==(default_variation_prompts const&,
                           default_variation_prompts const&) = default;
};

enum class generation_end {
    next,
    enough, ///< too many generations without a new kernel
};

namespace detail {

/// The knobs of a run, with none left open.
[[nodiscard]] evolve_knobs knobs_of(evolve_knobs const& k, evolve_limits const& of_the_run);
void begin_evolution(evolve_state& s);
void select_parents(evolve_state& s, evolve_knobs const& k);
/// The archive's kernels that children are about to be made of, each once, in order.
[[nodiscard]] std::vector<std::size_t> parents_of(evolve_state const& s);
[[nodiscard]] result<evaluated> evaluate_children(
    evolve_state& s, tools_ref const& tools, gpu_ref gpu, search_ref policy, evolve_knobs const& k);
[[nodiscard]] generation_end finish_generation(evolve_state& s, evolve_knobs const& k);
[[nodiscard]] std::vector<tuned_kernel const*> inspirations_of(evolve_state const& s,
                                                               batch_proposal const& r);

template <class Variation>
struct vary {
    [[nodiscard]] static tuned_kernel const& parent(evolve_state const& s,
                                                    batch_proposal const& r) {
        return s.archive[s.offspring_requests[r.parent].parent].kernel;
    }
    [[nodiscard]] static candidate const& before(evolve_state const& s, batch_proposal const& r) {
        return parent(s, r).kernel;
    }
    template <class Prompts>
    [[nodiscard]] static conversation
    turns(evolve_state const& s, batch_proposal const& r, Prompts const& prompts, recall how) {
        auto const past = before_round(s.history, s.batch);
        brief const b =
            recalled({s.task, parent(s, r), s.baseline.time, s.device, s.step, past}, how);
        conversation turns = conversation_of(b, {}, prompts);
        // Other kernels are what takes most room, and what a rewrite can best do without.
        auto const others =
            how == recall::all ? inspirations_of(s, r) : std::vector<tuned_kernel const*>();
        std::string const more = Variation{}(b, others, r.patch);
        if (!more.empty()) turns.back().text += "\n" + more;
        return turns;
    }
};

template <evolve_knobs K>
struct select_parents_fn {
    static constexpr std::string_view name = "select_parents";
    void operator()(evolve_state& s) const { select_parents(s, knobs_of(K, s.limits)); }
};
struct evolve_parents {
    kept_kernels operator()(evolve_state& s) const;
};
template <evolve_knobs K>
struct evaluate_children_fn {
    static constexpr std::string_view name = "evaluate_children";
    template <tools_with_gpu Tools>
    auto operator()(evolve_state& s, Tools& tools) const -> result<evaluated> {
        auto const knobs = knobs_of(K, s.limits);
        return evaluate_children(s, tools_ref(tools), gpu_ref(tools.gpu), search_of(tools), knobs);
    }
};
template <evolve_knobs K>
struct finish_generation_fn {
    static constexpr std::string_view name = "finish_generation";
    generation_end operator()(evolve_state& s) const {
        return finish_generation(s, knobs_of(K, s.limits));
    }
};

} // namespace detail

/// A population of kernels. In each generation every island asks for `children`: parents are drawn
/// by rank, and varied by a patch or by a rewrite that is shown other kernels of the island. All
/// children are measured side by side with their parents and the best kernel; those that pass every
/// check enter the archive, which has the fastest kernel of each kind (`niche`) for each island.
/// The best of an island visits the next one now and then. What was judged before, or is too much
/// like it, is not evaluated. What is drawn follows from the seed. Ends after `generations`, or
/// `patience` of them without a new kernel. Costs at most `generations * islands * children` model
/// calls.
///
/// Learns from FunSearch (Romera-Paredes et al., Nature 625, 2024: islands, programs drawn by
/// score), EvoPrompting (Chen et al., arXiv:2302.14838: a model as mutation and crossover),
/// AlphaEvolve (Novikov et al., arXiv:2506.13131) and OpenEvolve (patches by SEARCH/REPLACE, a
/// MAP-Elites archive, inspirations) and from The AI CUDA Engineer (Lange et al., 2025), which
/// evolved kernels and had to learn that an evolution finds every hole in its verifier.
template <evolve_knobs K = evolve_knobs{},
          class Prompts = default_prompts,
          class Variation = default_variation_prompts,
          auto Retry = backoff{}>
struct evolve {
    static_assert(
        detail::in_range(1, K.generations, K.patience, K.islands, K.population, K.children) &&
            detail::in_range(0, K.migration, K.patches, K.inspirations, K.likeness) &&
            K.in_flight > 0,
        "[lkt.strategies.evolve] evolve_knobs::generations, patience, islands, population, "
        "children and in_flight must be positive, the other numbers 0 or more; all but in_flight "
        "may be lkt::from_state");

    static constexpr auto retry = Retry;

    /// What the tuner says to the State before a run, and before it goes on.
    evolve_limits limits{};
    void adjust(evolve_state& s) const { s.limits = limits; }

    /// Children are asked for with their parent's profile: `profiling::automatic`.
    static constexpr bool reads_profiles = true;

    static constexpr auto begin = [](evolve_state& s) -> void { detail::begin_evolution(s); };
    static constexpr detail::select_parents_fn<K> select_parents{};
    static constexpr profile_shown_fn<detail::evolve_parents> profile{};
    static constexpr ask_batch_fn<detail::vary<Variation>, Prompts, std::size_t{K.in_flight}>
        ask_batch{};
    static constexpr auto ask = dsl::sub<detail::ask_all<ask_batch, Retry, evolve_state>>;
    static constexpr detail::evaluate_children_fn<K> evaluate_children{};
    static constexpr detail::finish_generation_fn<K> finish_generation{};

    static constexpr auto graph = lkt::graph<evolve_state>(
        dsl::node<begin>(dsl::to(select_parents)),
        dsl::node<select_parents>(
            dsl::limit<detail::limit_of<K.generations, &evolve_state::generations>()>(
                summarize_search),
            dsl::to(profile)),
        dsl::node<profile>(dsl::retrying<Retry>(), dsl::to(ask)),
        dsl::node<ask>(dsl::on<detail::replies_came>(evaluate_children)),
        dsl::node<evaluate_children>(dsl::retrying<Retry>(),
                                     dsl::on<evaluated::faster>(finish_generation),
                                     dsl::on<evaluated::slower>(finish_generation),
                                     dsl::on<evaluated::failed>(finish_generation)),
        dsl::node<finish_generation>(dsl::on<generation_end::next>(select_parents),
                                     dsl::on<generation_end::enough>(summarize_search)),
        dsl::node<summarize_search>(dsl::on<search_end::improved>(dsl::stop<tuned>),
                                    dsl::on<search_end::correct>(dsl::stop<unchanged>),
                                    dsl::on<search_end::nothing>(dsl::stop<gave_up>)));
};

} // namespace lkt
