// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/confirm.hpp>

#include <lkt/evaluate/evaluation.hpp>
#include <lkt/evaluate/rebuild.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/nodes/detail/original.hpp>

#include <string>
#include <utility>

namespace lkt::detail {

/// The best kernel measured anew between two launches of the original. True if these are like the
/// launches before, which they join, and still far behind: nothing is left to decide.
result<bool> still_far_apart(evaluation& e, trial& best, trial& original) {
    auto& timing = e.timing;
    trial again = original;
    again.time = {};
    best.time = {};
    if (auto ok = timing.time(again, 1); !ok) return ok.error();
    if (auto ok =
            timing.time(best, timing.launches_a_round(original.time.median()) * timing.rounds());
        !ok)
        return ok.error();
    if (auto ok = timing.time(again, 1); !ok) return ok.error();
    if (best.failed || again.failed) {
        original.failed = again.failed;
        return true;
    }
    double const drift = again.time.median() / original.time.median();
    auto& samples = original.time.samples;
    samples.insert(samples.end(), again.time.samples.begin(), again.time.samples.end());
    return drift > 0.95 && drift < 1.05 && timing.far_apart(best.time, original.time) &&
           e.setup.parts.decision.compare(best.time, original.time) == comparison::faster;
}

result<confirmed> confirm(state_ref const& s, tools_ref const& tools, gpu_ref gpu) {
    if (s.kept_original()) return confirmed::same;
    std::string const name = s.task.signature.name;
    auto const of_best = find_kernel(s.best.kernel.source, name);
    if (!of_best) return of_best.error();
    auto const of_original = find_kernel(s.baseline.kernel.source, name);
    if (!of_original) return of_original.error();
    if (auto ok = tools.before_launches(s); !ok) return ok.error();
    tools.report_progress(s, activity::confirming);
    evaluation e(setup_of(s, tools, gpu));
    auto best = rebuild(e, s.best, *of_best, "the best kernel");
    if (!best) return best.error();
    auto original = rebuild(e, s.baseline, *of_original, "the original");
    if (!original) return original.error();
    check_call checks{.when = moment::confirmation,
                      .in = e,
                      .kernel = *best->kernel,
                      .subject = &*best,
                      .on_check = [&](std::string_view check) {
                          tools.report_progress(s, activity::confirming, 0, 0, check);
                      }};
    auto wrong = e.pass(checks);
    if (!wrong) return wrong.error();
    if (*wrong) best->failed = std::move(**wrong);
    trial* both[] = {&*original, &*best};
    auto const tell = [&](int done, int rounds) {
        tools.report_progress(s,
                              activity::confirming,
                              static_cast<std::size_t>(done),
                              static_cast<std::size_t>(rounds));
    };
    comparison verdict = comparison::undecided;
    bool settled = false;
    if (!best->failed && e.timing.far_apart(best->time, original->time)) {
        auto const found = still_far_apart(e, *best, *original);
        if (!found) return found.error();
        settled = *found;
        verdict = comparison::faster;
    }
    if (!best->failed && !settled) {
        if (auto ok = e.timing.side_by_side(both, tell); !ok) return ok.error();
        auto const decided = e.timing.decide(*best, *original, tell);
        if (!decided) return decided.error();
        verdict = *decided;
    }
    if (original->failed) return lost_kernel(*original->failed, "the original");
    if (e.setup.drops_slow_ones() &&
        compare(s.baseline.time, original->time) != comparison::undecided)
        s.notes.push_back(timings_disagree(s.baseline.time, original->time));
    if (best->failed) {
        s.notes.push_back("the best kernel failed when it was confirmed, so the original is "
                          "returned: " +
                          describe(*best->failed));
        s.best = s.baseline;
        return confirmed::same;
    }
    s.baseline.time = original->time;
    if (verdict != comparison::faster) {
        s.notes.push_back("the best kernel was no longer faster when it was confirmed (" +
                          to_string(best->time) + " against " + to_string(original->time) +
                          "), so the original is returned");
        s.best = s.baseline;
        return confirmed::same;
    }
    s.best.time = best->time;
    return confirmed::faster;
}

} // namespace lkt::detail
