// SPDX-License-Identifier: BSL-1.0
#include "tuning.hpp"

#include <lkt/search/space.hpp>

#include <cstdio>
#include <span>

namespace lkt_tune {

lkt::tune_options settings(options const& o, std::stop_token stop) {
    lkt::tune_options s;
    s.evaluation.final_launches = o.launches;
    s.evaluation.profile = o.profile;
    if (o.no_evidence) s.evaluation.evidence = lkt::asking_for::nothing;
    s.evaluation.static_checks.ptx = o.ptx;
    s.evaluation.compile_limit = lkt::seconds(o.compile_limit_s);
    s.evaluation.launch_limit = lkt::seconds(o.launch_limit_s);
    s.evaluation.checked_time = lkt::seconds(o.checked_time_s);
    s.evaluation.seed = o.seed;
    // Whoever says how many to try knows how many.
    if (o.budget) s.evaluation.max_configurations = lkt::space_limits{}.configurations;
    if (auto const n = o.numbers.find(samples_name); n != o.numbers.end())
        s.first_kernel.samples = n->second;
    s.answers = o.answers;
    s.context_tokens = o.context_tokens;
    s.stop = stop;
    return s;
}

std::optional<lkt::error>
keep_kernels(session& s, lkt::tuning_outcome const& outcome, heard_model const* model) {
    if (!s.kernels || !s.kernels->has_problem()) return std::nullopt;
    auto const kept = s.kernels->keep(
        outcome, model != nullptr ? model->heard() : std::span<lkt::heard_reply const>());
    if (!kept) return kept.error();
    if (!s.o.quiet && *kept > 0)
        std::fprintf(stderr, "%zu kernels are in the store %s\n", *kept, s.o.store.c_str());
    return std::nullopt;
}

void annotate(session const& s, std::string const& asked, lkt::tuning_outcome& outcome) {
    if (!s.device.why.empty()) outcome.notes.push_back(s.device.why);
    if (auto const spent = lkt::cost_of(outcome.usage.models, s.prices, asked);
        spent && spent->usd > 0)
        outcome.cost = spent->usd;
}

} // namespace lkt_tune
