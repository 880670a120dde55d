// SPDX-License-Identifier: BSL-1.0
// The second round of an evaluation: the fastest configurations against the best kernel so far.
#pragma once

#include <lkt/kernel/signature.hpp>
#include <lkt/nodes/detail/bench.hpp>
#include <lkt/nodes/detail/judgement.hpp>
#include <lkt/nodes/detail/try_configurations.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace lkt::detail {

[[nodiscard]] inline error lost(failure const& why, std::string which) {
    return {condition::unavailable,
            "lkt.nodes.lost-kernel",
            which + " worked before and does not now: " + describe(why),
            "see whether the device or its compiler changed during the run"};
}

[[nodiscard]] inline std::string timings_disagree(measurement const& one,
                                                  measurement const& other) {
    return "two timings of the original disagree: " + to_string(one) + " and " + to_string(other);
}

/// A kernel that worked before, built again.
[[nodiscard]] inline result<contestant>
rebuild(bench& b, tuned_kernel const& known, lkt::signature const& declared, char const* which) {
    auto built = b.build(known.kernel, declared, known.config);
    if (!built) return built.error();
    if (auto const* why = std::get_if<failure>(&*built)) return lost(*why, which);
    contestant c = std::get<contestant>(std::move(*built));
    c.time = known.time;
    return c;
}

/// What the back end says of the original's build, as the notes of a run have it.
[[nodiscard]] inline std::string of_the_original(std::string const& note) {
    return "the original: " + note;
}

/// What the back end says of a kernel's build and has not said of the original's already.
[[nodiscard]] inline std::vector<std::string> own_notes(contestant const& c, state_ref const& s) {
    std::vector<std::string> own;
    for (std::string const& note : c.compiled.notes)
        if (std::find(s.notes.begin(), s.notes.end(), of_the_original(note)) == s.notes.end() &&
            std::find(own.begin(), own.end(), note) == own.end())
            own.push_back(note);
    return own;
}

/// The same text, launch and configuration: whatever their times say, neither is faster.
[[nodiscard]] inline bool same_kernel(contestant const& a, tuned_kernel const& b) {
    return a.kernel->source.text == b.kernel.source.text && a.config == b.config &&
           a.dimensions == b.dimensions;
}

/// The same binary of another text.
[[nodiscard]] inline bool same_binary(contestant const& a, contestant const& b) {
    return a.compiled.digest != 0 && a.compiled.digest == b.compiled.digest &&
           a.dimensions == b.dimensions;
}

/// The slowest launch of a was faster than the fastest of b, by more than a clock wavers.
[[nodiscard]] inline bool apart(measurement const& a, measurement const& b) {
    constexpr std::size_t enough = 3;
    auto const slowest = *std::max_element(a.samples.begin(), a.samples.end());
    return a.samples.size() >= enough && b.samples.size() >= enough &&
           b.minimum() > slowest * 1.005;
}

/// The fastest configurations, best first: at most `finalists`, none much slower than the first.
/// On a device that races, none that was slower in each of its launches.
[[nodiscard]] inline std::vector<contestant*>
pick_finalists(std::vector<contestant>& correct, tuned_kernel const& to_beat, bench const& b) {
    evaluation_options const& o = b.options;
    std::vector<contestant*> ranked;
    for (contestant& c : correct)
        if (!same_kernel(c, to_beat)) ranked.push_back(&c);
    std::sort(ranked.begin(), ranked.end(), [](contestant const* x, contestant const* y) {
        return x->time.median() < y->time.median();
    });
    if (ranked.empty()) return ranked;
    seconds const slowest = ranked.front()->time.median() * std::max(1.0, o.finalist_range);
    std::size_t const most = static_cast<std::size_t>(std::max(1, o.finalists));
    auto const end = std::find_if(ranked.begin(), ranked.end(), [&](contestant const* c) {
        return c->time.median() > slowest || (b.races() && apart(ranked.front()->time, c->time));
    });
    ranked.resize(std::min<std::size_t>(most, static_cast<std::size_t>(end - ranked.begin())));
    return ranked;
}

inline void record_failure(trials& all, contestant const& c, failure why) {
    for (tried_configuration& t : all.tried)
        if (t.config == c.config) t.outcome = std::move(why);
}

/// Measures the finalists side by side, with the kernel to beat where it is near; the fastest that
/// is faster than that one and passes checked mode wins.
[[nodiscard]] inline result<judgement>
hold_finals(state_ref const& s, tools_ref const& tools, bench& b, trials all) {
    judgement j;
    auto const finish = [&](attempt_outcome outcome) {
        j.outcome = std::move(outcome);
        j.configurations = std::move(all.tried);
        j.notes.insert(j.notes.begin(), all.notes.begin(), all.notes.end());
        return std::move(j);
    };
    std::vector<contestant*> finalists = pick_finalists(all.correct, s.best, b);
    if (finalists.empty()) {
        j.notes.push_back("the only configuration that works is the kernel to beat itself");
        return finish(no_improvement{comparison::undecided, s.best.time, s.best.time});
    }
    auto const declared = find_kernel(s.best.kernel.source, s.task.signature.name);
    if (!declared) return declared.error();
    auto best = rebuild(b, s.best, *declared, "the best kernel so far");
    if (!best) return best.error();
    std::erase_if(finalists, [&](contestant const* c) { return same_binary(*c, *best); });
    if (finalists.empty()) {
        j.notes.push_back("another text, but the same binary as the kernel to beat");
        return finish(no_improvement{comparison::undecided, s.best.time, s.best.time});
    }
    // A kernel to beat that is far behind is not launched again just to see that it still is: the
    // confirmation does that.
    std::vector<contestant*> field = finalists;
    if (!b.far_apart(finalists.front()->time, best->time)) field.push_back(&*best);
    tools.report_progress(s, activity::measuring_finalists);
    auto const tell = [&](int done, int rounds) {
        tools.report_progress(s,
                              activity::measuring_finalists,
                              static_cast<std::size_t>(done),
                              static_cast<std::size_t>(rounds));
    };
    if (auto ok = b.side_by_side(field, tell); !ok) return ok.error();
    if (best->failed) return lost(*best->failed, "the best kernel so far");

    std::sort(finalists.begin(), finalists.end(), [](auto const* x, auto const* y) {
        return x->time.median() < y->time.median(); // a failed one is dropped below
    });
    auto const describe_build = [&](contestant const& c) {
        for (std::string& note : own_notes(c, s)) j.notes.push_back(std::move(note));
        j.context = in_configuration(c.config);
    };
    std::optional<failure> first_failure;
    auto const fail = [&](contestant const& c, failure why) {
        record_failure(all, c, why);
        if (!first_failure) {
            first_failure = std::move(why);
            j.context = in_configuration(c.config);
        }
    };
    for (contestant* c : finalists) {
        if (c->failed) {
            fail(*c, *c->failed);
            continue;
        }
        auto const verdict = b.beats(*c, *best, tell);
        if (!verdict) return verdict.error();
        if (best->failed) return lost(*best->failed, "the best kernel so far");
        if (c->failed) { // in one of the further rounds
            fail(*c, *c->failed);
            continue;
        }
        if (*verdict != comparison::faster) {
            describe_build(*c);
            return finish(no_improvement{*verdict, best->time, c->time});
        }
        if (auto why = b.implausible_time(*c)) {
            fail(*c, std::move(*why));
            continue;
        }
        auto wrong = b.verify_rest(*c);
        if (wrong && !*wrong) wrong = b.keeps_promises(*c, j.notes);
        if (!wrong) return wrong.error();
        if (*wrong) {
            fail(*c, std::move(**wrong));
            continue;
        }
        if (b.options.checked && s.checked_mode) {
            std::string note;
            auto found = b.check(*c, note);
            if (!found) return found.error();
            if (!note.empty()) j.notes.push_back(note);
            if (*found) {
                fail(*c, **found);
                continue;
            }
        }
        j.winner = tuned_kernel{
            *c->kernel, c->config, c->dimensions, c->time, c->compiled.resources, c->occupancy};
        describe_build(*c);
        return finish(improvement{best->time, c->time});
    }
    return finish(*first_failure);
}

} // namespace lkt::detail
