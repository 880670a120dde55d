// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/nodes/detail/bench.hpp>
#include <lkt/nodes/detail/finals.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <string>
#include <type_traits>
#include <utility>

namespace lkt {

enum class confirmed {
    faster, ///< the best kernel is verified once more, and faster than the original
    same,   ///< the best kernel is the original, from the start or from now on
};

/// The last word on a run: the best kernel is verified again and timed side by side with the
/// original. One that is wrong now or no longer faster gives way to the original, with a note.
/// Writes `baseline`, `best` and `notes`.
inline constexpr auto confirm =
    []<tuning_fields S, tools_with_gpu Tools>(S& s, Tools& tools) -> result<confirmed> {
    if (s.best.kernel == s.baseline.kernel && s.best.config == s.baseline.config)
        return confirmed::same;
    std::string const name = s.task.signature.name;
    auto const of_best = find_kernel(s.best.kernel.source, name);
    if (!of_best) return of_best.error();
    auto const of_original = find_kernel(s.baseline.kernel.source, name);
    if (!of_original) return of_original.error();
    detail::report_progress(s, tools, activity::confirming);
    detail::bench b(tools, std::as_const(s));
    auto best = detail::rebuild(b, s.best, *of_best, "the best kernel");
    if (!best) return best.error();
    auto original = detail::rebuild(b, s.baseline, *of_original, "the original");
    if (!original) return original.error();
    auto wrong = b.verify_all(*best);
    if (!wrong) return wrong.error();
    if (*wrong) best->failed = std::move(**wrong);
    detail::contestant* both[] = {&*original, &*best};
    auto const tell = [&](int done, int rounds) {
        detail::report_progress(s,
                                tools,
                                activity::confirming,
                                static_cast<std::size_t>(done),
                                static_cast<std::size_t>(rounds));
    };
    comparison verdict = comparison::undecided;
    if (!best->failed) {
        if (auto ok = b.side_by_side(both, tell); !ok) return ok.error();
        auto const decided = b.decide(*best, *original, tell);
        if (!decided) return decided.error();
        verdict = *decided;
    }
    if (original->failed) return detail::lost(*original->failed, "the original");
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
};

} // namespace lkt
