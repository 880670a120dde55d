// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/strategies/beam.hpp>

#include <algorithm>
#include <utility>

namespace lkt::detail {

void begin_beam(beam_state& s) {
    begin_search(s);
    s.batch.clear();
    s.beam = {s.best};
}

void expand_beam(beam_state& s) {
    s.attempts.clear();
    s.batch.assign(count_of(s.limits.width) * count_of(s.limits.branches), batch_proposal{});
    for (std::size_t k = 0; k < s.batch.size(); ++k) s.batch[k].parent = k % s.beam.size();
}

kept_kernels beam_parents::operator()(beam_state& s) const {
    kept_kernels kernels;
    for (std::size_t k = 0; k < std::min(s.beam.size(), s.batch.size()); ++k)
        kernels.shown.push_back(&s.beam[k]);
    return kernels;
}

result<evaluated>
evaluate_beam(beam_state& s, tools_ref const& tools, gpu_ref gpu, search_ref policy) {
    std::vector<tuned_kernel> beam =
        s.beam; // with the times of this evaluation, if it comes to an end
    auto const ended = evaluate_batch(state_ref(s),
                                      s.batch,
                                      tools,
                                      gpu,
                                      policy,
                                      {.kept = count_of(s.limits.width), .known = beam});
    if (ended) s.beam = std::move(beam);
    return ended;
}

beam_end narrow_beam(beam_state& s) {
    std::vector<std::pair<tuned_kernel, bool>> all; // and whether it is new
    for (tuned_kernel& k : s.beam)
        if (!k.time.empty()) all.emplace_back(std::move(k), false);
    for (batch_proposal& r : s.batch)
        if (r.measured) all.emplace_back(*std::move(r.measured), true);
    std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) {
        return a.first.time.median() < b.first.time.median();
    });
    all.resize(std::min(all.size(), count_of(s.limits.width)));
    s.beam.clear();
    s.batch.clear();
    beam_end end = beam_end::stuck;
    for (auto& [kernel, is_new] : all) {
        if (is_new) end = beam_end::moved;
        s.beam.push_back(std::move(kernel));
    }
    return end;
}

} // namespace lkt::detail
