// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/fields.hpp>
#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/llm/prompt.hpp>
#include <lkt/nodes/archive.hpp>
#include <lkt/nodes/batch.hpp>
#include <lkt/nodes/inquire.hpp>
#include <lkt/nodes/profile_shown.hpp>
#include <lkt/nodes/summarize_search.hpp>
#include <lkt/strategies/detail/ask_all.hpp>
#include <lkt/strategies/terminals.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lkt {

/// How far an evolution goes.
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
    std::uint64_t seed = 1; ///< of what is drawn; any number will do

    [[nodiscard]] static constexpr auto allowed() {
        using l = evolve_limits;
        return std::array{
            number_of<&l::generations>(1, 10'000, "how many"),
            number_of<&l::patience>(
                1, 10'000, "generations in a row without a new kernel that end it"),
            number_of<&l::islands>(1, 100, "populations that live apart"),
            number_of<&l::population>(1, 1'000, "kernels of an island, at most"),
            number_of<&l::children>(1, 1'000, "rewrites of an island in a generation"),
            number_of<&l::migration>(
                0, 10'000, "generations between two visits of the islands' best; 0: never"),
            number_of<&l::patches>(0, 100, "per cent of rewrites asked for as patches"),
            number_of<&l::inspirations>(0, 100, "further kernels of its island in a request"),
            number_of<&l::likeness>(
                0,
                1'000,
                "per mille: kernels more similar than this to a correct one are left out")};
    }
    friend bool operator==(evolve_limits const&, evolve_limits const&) = default;
};

/// The request for one child.
struct offspring_request {
    std::size_t parent = 0;                ///< in the archive
    std::vector<std::size_t> inspirations; ///< in the archive
};

/// The fields of `evolve`, in addition to those of all strategies.
struct evolve_state : batch_state {
    std::size_t began = 0; ///< records in `history` when the strategy began
    std::vector<elite> archive;
    std::vector<offspring_request>
        offspring_requests;  ///< one for each proposal, whose `parent` is the index
    std::uint64_t draws = 0; ///< random numbers that were drawn
    int generation = 0;      ///< those that are over
    int stagnant = 0;        ///< those in a row without a new kernel in the archive
    evolve_limits limits;

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

void begin_evolution(evolve_state& s);
void select_parents(evolve_state& s);
/// The archive's kernels that children are about to be made of, each once, in order.
[[nodiscard]] std::vector<std::size_t> parents_of(evolve_state const& s);
[[nodiscard]] result<evaluated>
evaluate_children(evolve_state& s, tools_ref const& tools, gpu_ref gpu, search_ref policy);
[[nodiscard]] generation_end finish_generation(evolve_state& s);
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
        brief const b = recalled(
            {s.task, parent(s, r), s.baseline.time, s.device, s.step, past, 0, asked_in(s)}, how);
        conversation turns = conversation_of(b, {}, prompts);
        // Other kernels are what takes most room, and what a rewrite can best do without.
        auto const others =
            how == recall::all ? inspirations_of(s, r) : std::vector<tuned_kernel const*>();
        std::string const more = Variation{}(b, others, r.patch);
        if (!more.empty()) turns.back().text += "\n" + more;
        return turns;
    }
};

struct evolve_parents {
    kept_kernels operator()(evolve_state& s) const;
};

} // namespace detail

/// A population of kernels. In each generation every island asks for `children`: parents are drawn
/// by rank, and varied by a patch or by a rewrite that is shown other kernels of the island. All
/// children are measured side by side with their parents and the best kernel; those that pass every
/// check enter the archive, which has the fastest kernel of each kind (`niche`) for each island.
/// From time to time, the best of an island is copied to the next one. A kernel that was judged
/// before, or is too similar to one that was, is not evaluated. All random choices follow from the
/// seed. Ends after `generations`, or `patience` of them without a new kernel. Costs at most
/// `generations * islands * children` model calls, and those of `inquire` for each parent.
///
/// Learns from FunSearch (Romera-Paredes et al., Nature 625, 2024: islands, programs drawn by
/// score), EvoPrompting (Chen et al., arXiv:2302.14838: a model as mutation and crossover),
/// AlphaEvolve (Novikov et al., arXiv:2506.13131) and OpenEvolve (patches by SEARCH/REPLACE, a
/// MAP-Elites archive, inspirations) and from The AI CUDA Engineer (Lange et al., 2025), which
/// evolved kernels and had to learn that an evolution finds every hole in its verifier.
template <class Prompts = default_prompts,
          class Variation = default_variation_prompts,
          auto Retry = backoff{}>
struct evolve {
    evolve_limits limits{};
    batch_limits calls{};
    using number_fields = fields<&evolve::limits, &evolve::calls>;
    void adjust(evolve_state& s) const {
        s.limits = limits;
        s.calls = calls;
    }

    static constexpr auto retry = Retry;

    /// Children are asked for with their parent's profile: `profiling::automatic`.
    static constexpr bool reads_profiles = true;

    static constexpr auto begin = [](evolve_state& s) -> void { detail::begin_evolution(s); };
    static constexpr auto select_parents = [](evolve_state& s) -> void {
        detail::select_parents(s);
    };
    static constexpr profile_shown_fn<detail::evolve_parents> profile{};
    static constexpr inquire_fn<detail::evolve_parents, default_inquiry_prompts, purpose::write>
        inquire{};
    static constexpr ask_batch_fn<detail::vary<Variation>, Prompts> ask_batch{};
    static constexpr auto ask = dsl::sub<detail::ask_all<ask_batch, Retry, evolve_state>>;
    static constexpr auto evaluate_children =
        []<tools_with_gpu Tools>(evolve_state& s, Tools& tools) -> result<evaluated> {
        return detail::evaluate_children(
            s, detail::tools_ref(tools), gpu_ref(tools.gpu), detail::search_of(tools));
    };
    static constexpr auto finish_generation = [](evolve_state& s) -> generation_end {
        return detail::finish_generation(s);
    };

    static constexpr auto graph = [] {
        using namespace dsl;
        return lkt::graph<evolve_state>(
            node<begin>(to(select_parents)),
            node<select_parents>(
                limit<&evolve_state::limits, &evolve_limits::generations>(summarize_search),
                to(profile)),
            node<profile>(retrying<Retry>(), to(inquire)),
            node<inquire>(retrying<Retry>(), to(ask)),
            node<ask>(to(evaluate_children)),
            node<evaluate_children>(retrying<Retry>(), to(finish_generation)),
            node<finish_generation>(on<generation_end::next>(select_parents),
                                    on<generation_end::enough>(summarize_search)),
            last_node<summarize_search>());
    }();
};

} // namespace lkt
