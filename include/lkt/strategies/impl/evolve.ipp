// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/strategies/evolve.hpp>

#include <lkt/verify/random.hpp>

#include <algorithm>
#include <utility>

namespace lkt {

namespace variation_texts {

constexpr prompt<variation_words> more =
    R"text(Other kernels for the same problem, all correct. Use their good ideas, but do not repeat any of them.
${others}

${patch}
)text";

constexpr char const* patch =
    R"text(This time, do not write the whole kernel. Make one change, and answer with edits of the kernel above instead of the code block, each in this form:
<<<<<<< SEARCH
lines of the kernel, copied exactly, enough of them that they occur once
=======
the lines that replace them
>>>>>>> REPLACE
The json block follows as described; what it leaves out stays as it is.)text";

} // namespace variation_texts

default_variation_prompts::default_variation_prompts() : more(variation_texts::more) {}

std::string default_variation_prompts::operator()(brief const& b,
                                                  std::span<tuned_kernel const* const> others,
                                                  bool patch) const {
    variation_words words;
    for (tuned_kernel const* k : others) {
        std::string const& text = k->kernel.source.text;
        std::size_t ticks = 3;
        while (text.find(std::string(ticks, '`')) != std::string::npos) ++ticks;
        std::string const fence(ticks, '`');
        words.others.push_back(to_string(k->time.median()) + " a launch (" +
                               to_string(b.current.time.median()) + " for the kernel above):\n" +
                               fence + "\n" + text + (text.ends_with('\n') ? "" : "\n") + fence);
    }
    if (patch) words.patch = variation_texts::patch;
    return more.render(words);
}

namespace detail {

void begin_evolution(evolve_state& s) {
    begin_search(s);
    s.batch.clear();
    s.offspring_requests.clear();
    s.archive.clear();
    s.draws = 0;
    s.generation = s.stagnant = 0;
}

/// The next 64 random bits.
[[nodiscard]] inline std::uint64_t draw_bits(evolve_state& s) {
    return random_stream{s.limits.seed, 0, 0}.bits(s.draws++);
}

void select_parents(evolve_state& s) {
    evolve_limits const& k = s.limits;
    s.attempts.clear();
    s.batch.clear();
    s.offspring_requests.clear();
    for (std::size_t island = 0; island < count_of(k.islands); ++island) {
        auto order = ranked(s.archive, island);
        if (order.empty()) { // at first, and where the island's kernels stopped working
            s.archive.push_back(
                {s.best, niche_of(s.best, s.baseline.dimensions, s.device), island});
            order = {s.archive.size() - 1};
        }
        for (int child = 0; child < k.children; ++child) {
            offspring_request c;
            c.parent = order[draw_rank(draw_bits(s), order.size())];
            batch_proposal r;
            r.parent = s.offspring_requests.size();
            r.patch = draw_bits(s) % 100 < count_of(k.patches);
            for (std::size_t const other : order)
                if (!r.patch && other != c.parent &&
                    c.inspirations.size() < count_of(k.inspirations))
                    c.inspirations.push_back(other);
            s.batch.push_back(std::move(r));
            s.offspring_requests.push_back(std::move(c));
        }
    }
}

std::vector<std::size_t> parents_of(evolve_state const& s) {
    std::vector<std::size_t> parents;
    for (offspring_request const& c : s.offspring_requests) parents.push_back(c.parent);
    std::sort(parents.begin(), parents.end());
    parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
    return parents;
}

kept_kernels evolve_parents::operator()(evolve_state& s) const {
    kept_kernels kernels;
    for (std::size_t const p : parents_of(s)) kernels.shown.push_back(&s.archive[p].kernel);
    for (elite& e : s.archive) kernels.others.push_back(&e.kernel);
    return kernels;
}

std::vector<tuned_kernel const*> inspirations_of(evolve_state const& s, batch_proposal const& r) {
    std::vector<tuned_kernel const*> kernels;
    for (std::size_t const k : s.offspring_requests[r.parent].inspirations)
        kernels.push_back(&s.archive[k].kernel);
    return kernels;
}

result<evaluated>
evaluate_children(evolve_state& s, tools_ref const& tools, gpu_ref gpu, search_ref policy) {
    auto const parents = parents_of(s);
    std::vector<tuned_kernel> known;
    for (std::size_t const p : parents) known.push_back(s.archive[p].kernel);
    auto const ended = evaluate_batch(state_ref(s),
                                      s.batch,
                                      tools,
                                      gpu,
                                      policy,
                                      {.kept = s.batch.size(),
                                       .novelty = static_cast<double>(s.limits.likeness) / 1000,
                                       .known = known});
    if (!ended) return ended;
    for (std::size_t i = 0; i < parents.size(); ++i)
        s.archive[parents[i]].kernel.time = std::move(known[i].time);
    return ended;
}

generation_end finish_generation(evolve_state& s) {
    evolve_limits const& k = s.limits;
    auto const most = count_of(k.population);
    std::vector<elite> children;
    for (batch_proposal& r : s.batch)
        if (r.measured) {
            niche const kind = niche_of(*r.measured, s.baseline.dimensions, s.device);
            std::size_t const island = s.archive[s.offspring_requests[r.parent].parent].island;
            children.push_back({*std::move(r.measured), kind, island});
        }
    s.batch.clear();
    s.offspring_requests.clear();
    // Those that stopped working have no time any more.
    std::erase_if(s.archive, [](elite const& e) { return e.kernel.time.empty(); });
    bool improved = false;
    for (elite& child : children) improved = admit(s.archive, std::move(child), most) || improved;
    s.stagnant = improved ? 0 : s.stagnant + 1;
    ++s.generation;
    if (k.migration > 0 && s.generation % k.migration == 0)
        migrate(s.archive, count_of(k.islands), most);
    return s.stagnant < k.patience ? generation_end::next : generation_end::enough;
}

} // namespace detail
} // namespace lkt
