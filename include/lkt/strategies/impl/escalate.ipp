// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/strategies/escalate.hpp>

#include <lkt/core/units.hpp>
#include <lkt/kernel/roofline.hpp>
#include <lkt/nodes/words.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <variant>

namespace lkt::detail {

namespace stages {

/// The records since the one of that number.
[[nodiscard]] inline std::span<attempt_record const> since(escalate_state const& s,
                                                           std::size_t first) {
    return std::span(s.history).subspan(std::min(first, s.history.size()));
}

/// How many times as fast the stage made the best kernel: each gain as it was measured.
[[nodiscard]] inline double factor_of(std::span<attempt_record const> stage) {
    double factor = 1;
    for (attempt_record const& a : stage)
        if (auto const* i = std::get_if<improvement>(&a.outcome))
            factor *= i->before.median() / i->after.median();
    return factor;
}

struct decision {
    weighed what;
    std::string why;
};

[[nodiscard]] inline decision decide(escalate_state const& s, std::string_view ended) {
    roofline const roof = roofline_of(s.task, s.device);
    seconds const taken = s.best.time.empty() ? seconds(0) : s.best.time.median();
    double const share = roof.share(taken);
    // Far above it, the roof is wrong.
    bool const known = roof.measured() && share > 0 && share <= credible_share;
    std::string const reached = "the best kernel reaches " + share_words(roof, taken);
    std::string const enough = std::to_string(s.stages.enough) + " %";
    if (known && share >= s.stages.enough / 100.0)
        return {weighed::enough, reached + "; " + enough + " are enough"};
    if (best_ending(since(s, s.run_began)) != ending::improved)
        return {weighed::next, "no kernel is faster than the original yet"};
    // Without the operations, arithmetic may be the roof that it is at.
    std::string const unknown = known ? unknown_arithmetic(roof) : "no measured roof is known";
    if (unknown.empty()) return {weighed::next, reached + ", less than " + enough};
    double const factor = factor_of(since(s, s.stage_began)), least = 1 + s.stages.gain / 100.0;
    return {factor >= least ? weighed::next : weighed::enough,
            (known ? reached + "; " : "") + unknown + ", and " + std::string(ended) +
                " made the kernel " + significant(std::round(100 * factor) / 100) +
                " times as fast (" + significant(least) + " is enough to go on)"};
}

/// Notes the stage's name where it brought a faster kernel.
inline void remember_best(escalate_state& s, std::string_view stage) {
    if (best_ending(since(s, s.stage_began)) == ending::improved) s.best_from = stage;
}

} // namespace stages

void begin_stages(escalate_state& s) {
    s.run_began = s.stage_began = s.history.size();
    s.best_from.clear();
}

result<weighed> weigh_stage(escalate_state& s,
                            tools_ref const& tools,
                            std::string_view ended,
                            std::string_view next) {
    if (auto end = tools.must_end_search(state_ref(s))) return *end;
    auto [what, why] = stages::decide(s, ended);
    std::string note = what == weighed::next
                           ? std::string(next) + " comes next, from attempt " +
                                 std::to_string(s.history.size() + 1) + " on: " + why
                           : "ended after " + std::string(ended) + ": " + why;
    stages::remember_best(s, ended);
    s.stage_began = s.history.size();
    tools.report_progress(state_ref(s), activity::deciding, 0, 0, note);
    s.notes.push_back(std::move(note));
    return what;
}

ending conclude_stages(escalate_state& s) {
    stages::remember_best(s, "evolve"); // where it is not this stage, nothing came since
    for (std::size_t k = s.history.size(); k > s.run_began; --k)
        if (ending_of(s.history[k - 1]) == ending::improved) {
            s.notes.push_back("the best kernel is attempt " + std::to_string(k) + ", of " +
                              s.best_from);
            return ending::improved;
        }
    return best_ending(stages::since(s, s.run_began));
}

} // namespace lkt::detail
