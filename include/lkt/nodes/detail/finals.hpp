// SPDX-License-Identifier: BSL-1.0
// The second round of an evaluation: the fastest configurations against the best kernel so far.
#pragma once

#include <lkt/evaluate/evaluation.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/nodes/detail/evaluation_result.hpp>
#include <lkt/nodes/detail/try_configurations.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
[[nodiscard]] inline result<trial> rebuild(evaluation const& e,
                                           tuned_kernel const& known,
                                           lkt::signature const& declared,
                                           char const* which) {
    auto built = e.builder.build(known.kernel, declared, known.config);
    if (!built) return built.error();
    if (auto const* why = std::get_if<failure>(&*built)) return lost(*why, which);
    trial c = std::get<trial>(std::move(*built));
    c.time = known.time;
    return c;
}

/// What the back end says of the original's build, as the notes of a run have it.
[[nodiscard]] inline std::string of_the_original(std::string const& note) {
    return "the original: " + note;
}

/// What the back end says of a kernel's build and has not said of the original's already.
[[nodiscard]] inline std::vector<std::string> own_notes(trial const& c, state_ref const& s) {
    std::vector<std::string> own;
    for (std::string const& note : c.compiled.notes)
        if (std::find(s.notes.begin(), s.notes.end(), of_the_original(note)) == s.notes.end() &&
            std::find(own.begin(), own.end(), note) == own.end())
            own.push_back(note);
    return own;
}

/// The same text, launch and configuration: whatever their times say, neither is faster.
[[nodiscard]] inline bool same_kernel(trial const& a, tuned_kernel const& b) {
    return a.kernel->source.text == b.kernel.source.text && a.config == b.config &&
           a.dimensions == b.dimensions;
}

/// The same binary of another text.
[[nodiscard]] inline bool same_binary(trial const& a, trial const& b) {
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

inline void record_failure(trials& all, trial const& c, failure why) {
    for (tried_configuration& t : all.tried)
        if (t.config == c.config) t.outcome = std::move(why);
}

/// How far two configurations are apart: for each parameter the distance of its values in their
/// list, 1 from the first to the last.
[[nodiscard]] inline double
unlikeness(candidate const& k, configuration const& a, configuration const& b) {
    double sum = 0;
    for (tunable_parameter const& p : k.parameters) {
        auto const place = [&](configuration const& c) {
            auto const* const value = c.find(p.name);
            auto const at =
                value ? std::find(p.values.begin(), p.values.end(), *value) : p.values.end();
            return static_cast<double>(at - p.values.begin());
        };
        double const most = static_cast<double>(std::max<std::size_t>(2, p.values.size()) - 1);
        sum += std::abs(place(a) - place(b)) / most;
    }
    return sum;
}

/// The finals of one or several candidates: their fastest configurations and the kernel to beat are
/// measured side by side. The fastest that is faster than that one and passes every check wins.
/// Where all that were measured of a candidate fail, its next ones in rank follow, until one passes
/// or none is left. After `hopeless_after` that failed alike, the ones most unlike them are checked
/// first: where as many of these fail alike too, the candidate is given up.
class finals {
public:
    finals(state_ref const& s,
           tools_ref const& tools,
           evaluation& e,
           std::vector<trials> candidates)
        : s_(s), tools_(tools), in_(e) {
        for (trials& all : candidates) entries_.emplace_back().all = std::move(all);
    }

    /// Kernels that are measured with the others, whatever their times. Afterwards each has the
    /// time that was measured, or none where it does not work any more.
    std::span<tuned_kernel> known = {};
    /// How many candidates go through every check even though they are not faster.
    std::size_t min_verified = 0;

    /// One result for each candidate.
    [[nodiscard]] result<std::vector<evaluation_result>> run() {
        pick();
        if (!picked_.empty())
            if (auto ok = measure_and_judge(); !ok) return ok.error();
        std::vector<evaluation_result> all;
        for (entry& e : entries_) all.push_back(result_of(e));
        return all;
    }

private:
    struct entry {
        trials all;
        evaluation_result j;
        std::optional<failure> first_failure;
        trial const* fastest = nullptr; ///< of its configurations, when each was timed briefly
        bool settled = false;
        std::vector<trial const*> failed{}; ///< in these finals
        std::optional<failure> last_failure{};
        int alike_so_far = 0; ///< failures in a row
        bool one_passes = false, given_up = false;
        char const* equal = nullptr; ///< whose binary its fastest configuration is too
    };
    struct finalist {
        trial* what;
        entry* of;
    };
    struct rebuilt {
        tuned_kernel* of;
        trial what;
    };

    [[nodiscard]] trial_timer::rounds_sink progress() const {
        return [this](int done, int rounds) {
            tools_.report_progress(s_,
                                   activity::measuring_finalists,
                                   static_cast<std::size_t>(done),
                                   static_cast<std::size_t>(rounds));
        };
    }

    /// The fastest configurations, at most `finalists`, none much slower than the first; on a
    /// device that interleaves launches, none that was slower in each of its launches. Before any
    /// candidate has a second configuration in the field, each has its first; in any case enough of
    /// them that `min_verified` are left when some do not pass.
    void pick() {
        for (entry& e : entries_)
            for (trial& c : e.all.correct)
                if (!same_kernel(c, s_.best)) ranked_.push_back({&c, &e});
        std::sort(ranked_.begin(), ranked_.end(), sooner);
        if (ranked_.empty()) return;
        trial const& first = *ranked_.front().what;
        seconds const slowest =
            first.time.median() * std::max(1.0, in_.setup.options.finalist_range);
        auto const far = [&](finalist const& f) {
            return f.what->time.median() > slowest ||
                   (in_.setup.drops_slow_ones() && apart(first.time, f.what->time));
        };
        std::vector<finalist> others;
        for (finalist const& f : ranked_) {
            bool const first_of_its = f.of->fastest == nullptr;
            if (first_of_its) f.of->fastest = f.what;
            if (!first_of_its)
                others.push_back(f);
            else if (picked_.size() < 2 * min_verified || !far(f))
                picked_.push_back(f);
        }
        std::size_t const most = static_cast<std::size_t>(std::max(1, in_.setup.options.finalists));
        for (finalist const& f : others) {
            if (picked_.size() >= most || far(f)) break;
            picked_.push_back(f);
        }
        drop_picked();
    }

    [[nodiscard]] static bool has_failed(finalist const& f) {
        auto const& failed = f.of->failed;
        return std::find(failed.begin(), failed.end(), f.what) != failed.end();
    }

    void drop_picked() {
        std::erase_if(ranked_, [&](finalist const& f) {
            return std::any_of(picked_.begin(), picked_.end(), [&](finalist const& other) {
                return other.what == f.what;
            });
        });
    }

    /// The next configurations of candidates of which none has passed; none where the budget ends.
    void pick_next() {
        picked_.clear();
        std::size_t const most = static_cast<std::size_t>(std::max(1, in_.setup.options.finalists));
        for (finalist const& f : ranked_)
            if (picked_.size() < most && !f.of->settled && !f.of->given_up && f.of->first_failure &&
                !has_failed(f))
                picked_.push_back(f);
        if (picked_.empty()) return;
        if (tools_.must_end()) {
            for (finalist const& f : picked_)
                if (f.of->j.notes.empty() || f.of->j.notes.back() != cut_short)
                    f.of->j.notes.emplace_back(cut_short);
            return picked_.clear();
        }
        drop_picked();
    }
    static constexpr std::string_view cut_short =
        "the budget ended the search for a configuration that passes every check";

    [[nodiscard]] result<void> measure_and_judge() {
        auto const declared = find_kernel(s_.best.kernel.source, s_.task.signature.name);
        if (!declared) return declared.error();
        auto best = rebuild(in_, s_.best, *declared, "the best kernel so far");
        if (!best) return best.error();
        for (bool first = true; !picked_.empty(); first = false, pick_next()) {
            drop_equal_binaries(*best);
            if (picked_.empty()) continue;
            if (auto ok = measure(*best, first); !ok) return ok;
            std::sort(picked_.begin(), picked_.end(), sooner);
            for (finalist const& f : picked_)
                if (!f.of->settled && !f.of->given_up && !has_failed(f)) {
                    if (auto ok = judge(f, *best); !ok) return ok;
                    if (auto ok = look_elsewhere(*f.of); !ok) return ok;
                }
        }
        against_ = winner_ ? winner_->time : best->time;
        return {};
    }

    /// Equal binaries never meet: whichever won would owe it to luck.
    void drop_equal_binaries(trial const& best) {
        std::vector<finalist> different;
        for (finalist const& f : picked_) {
            bool const duplicate =
                std::any_of(different.begin(), different.end(), [&](finalist const& other) {
                    return other.of != f.of && same_binary(*other.what, *f.what);
                });
            if (same_binary(*f.what, best))
                f.of->equal = "the kernel to beat";
            else if (duplicate)
                f.of->equal = "another candidate";
            else
                different.push_back(f);
        }
        picked_ = std::move(different);
    }

    /// `with_known`: with the other kernels whose times are asked for.
    [[nodiscard]] result<void> measure(trial& best, bool with_known) {
        std::vector<lkt::signature> signatures;
        std::vector<rebuilt> others;
        if (with_known)
            if (auto ok = rebuild_known(best, signatures, others); !ok) return ok;
        std::vector<trial*> field;
        for (finalist const& f : picked_) field.push_back(f.what);
        for (rebuilt& r : others) field.push_back(&r.what);
        // A kernel to beat that is far behind is not launched again just to see that it still is:
        // the confirmation does that.
        trial const* const first = std::min_element(picked_.begin(), picked_.end(), sooner)->what;
        if (!in_.timer.far_apart(first->time, best.time)) field.push_back(&best);
        tools_.report_progress(s_, activity::measuring_finalists);
        if (auto ok = in_.timer.side_by_side(field, progress()); !ok) return ok.error();
        if (best.failed) return lost(*best.failed, "the best kernel so far");
        for (rebuilt const& r : others) r.of->time = r.what.failed ? measurement{} : r.what.time;
        for (tuned_kernel& k : known)
            if (same_kernel(best, k)) k.time = best.time;
        return {};
    }

    /// The kernel to beat is in the field anyway. Those that do not compile any more lose their
    /// time.
    [[nodiscard]] result<void> rebuild_known(trial const& best,
                                             std::vector<lkt::signature>& signatures,
                                             std::vector<rebuilt>& built) {
        signatures.reserve(known.size()); // trials point at them
        for (tuned_kernel& k : known) {
            if (same_kernel(best, k)) continue;
            auto declared = find_kernel(k.kernel.source, s_.task.signature.name);
            if (!declared) return declared.error();
            signatures.push_back(std::move(*declared));
            auto made = in_.builder.build(k.kernel, signatures.back(), k.config);
            if (!made) return made.error();
            auto* const c = std::get_if<trial>(&*made);
            if (c != nullptr) {
                c->time = k.time;
                built.push_back({&k, std::move(*c)});
            } else {
                k.time = {};
            }
        }
        return {};
    }

    /// The verdict on a finalist, and with it on its candidate, unless it fails.
    [[nodiscard]] result<void> judge(finalist const& f, trial& best) {
        trial& c = *f.what;
        entry& e = *f.of;
        comparison verdict = comparison::slower;
        if (!c.failed && winner_) {
            verdict = compare(c.time, winner_->time);
        } else if (!c.failed) {
            auto const decided = in_.timer.beats(c, best, progress());
            if (!decided) return decided.error();
            if (best.failed) return lost(*best.failed, "the best kernel so far");
            verdict = *decided;
        }
        if (c.failed) { // in one of the rounds
            fail(e, c, *c.failed);
            return {};
        }
        bool const wins = !winner_ && verdict == comparison::faster;
        if (wins || checked_ < min_verified) {
            auto wrong = check(c, e.j.notes);
            if (!wrong) return wrong.error();
            if (*wrong) {
                fail(e, c, std::move(**wrong));
                return {};
            }
            ++checked_;
            e.j.correct = tuned_kernel{
                *c.kernel, c.config, c.dimensions, c.time, c.compiled.resources, c.occupancy};
        }
        if (wins) {
            winner_ = &c;
            e.j.winner = e.j.correct;
            e.j.outcome = improvement{best.time, c.time};
        } else {
            e.j.outcome = no_improvement{verdict, winner_ ? winner_->time : best.time, c.time};
            if (winner_) e.j.notes.push_back("measured side by side with the new best kernel");
        }
        for (std::string& note : own_notes(c, s_)) e.j.notes.push_back(std::move(note));
        e.j.context = in_configuration(c.config);
        e.settled = true;
        return {};
    }

    /// What was not checked before it was timed.
    [[nodiscard]] result<std::optional<failure>> check(trial& t, std::vector<std::string>& notes) {
        check_call call{.when = moment::finalist, .in = in_, .kernel = *t.kernel, .subject = &t};
        auto wrong = in_.pass(call);
        for (std::string& note : call.notes) notes.push_back(std::move(note));
        return wrong;
    }

    /// After failures that are all alike: checks configurations that are most unlike those, before
    /// more of them are measured. One that passes says that it depends on the values.
    [[nodiscard]] result<void> look_elsewhere(entry& e) {
        int const enough = e.last_failure ? patience(*e.last_failure, in_.setup.options) : 0;
        if (e.settled || e.one_passes || e.failed.empty() || e.alike_so_far < enough) return {};
        failure const before = *e.last_failure;
        for (int n = 0; n < enough; ++n) {
            trial* const c = most_unlike_failed(e);
            if (c == nullptr || tools_.must_end()) return {}; // nothing is left to pick, or no time
            tools_.report_progress(s_, activity::measuring_finalists);
            std::vector<std::string> notes;
            auto wrong = check(*c, notes);
            if (!wrong) return wrong.error();
            e.one_passes = !*wrong;
            if (e.one_passes) return {};
            fail(e, *c, **wrong);
            if (!alike(before, **wrong)) return {};
        }
        e.given_up = true;
        e.j.notes.push_back("the search for a configuration that passes every check ended early: " +
                            std::to_string(e.alike_so_far) + " in a row failed alike (" +
                            std::string(name_of_failure(before)) + "), the last " +
                            std::to_string(enough) + " of them most unlike the others");
        return {};
    }

    /// Null when all have failed. Of several that are as far from the failed ones, the fastest.
    [[nodiscard]] static trial* most_unlike_failed(entry& e) {
        trial* best = nullptr;
        double farthest = -1;
        for (trial& c : e.all.correct) {
            double nearest = std::numeric_limits<double>::infinity();
            for (trial const* other : e.failed)
                nearest = std::min(nearest, unlikeness(*c.kernel, c.config, other->config));
            bool const again = nearest == 0; // failed itself
            bool const wins = nearest > farthest || (nearest == farthest && best != nullptr &&
                                                     c.time.median() < best->time.median());
            if (!again && wins) farthest = nearest, best = &c;
        }
        return best;
    }

    static void fail(entry& e, trial const& c, failure why) {
        e.alike_so_far = e.last_failure && alike(*e.last_failure, why) ? e.alike_so_far + 1 : 1;
        e.last_failure = why;
        e.failed.push_back(&c);
        record_failure(e.all, c, why);
        if (e.first_failure) return;
        e.first_failure = std::move(why);
        e.j.context = in_configuration(c.config);
    }

    [[nodiscard]] evaluation_result result_of(entry& e) const {
        evaluation_result& j = e.j;
        if (!e.fastest) {
            j.notes.push_back("the only configuration that works is the kernel to beat itself");
            j.outcome = no_improvement{comparison::undecided, s_.best.time, s_.best.time};
        } else if (!e.settled && e.first_failure) {
            j.outcome = *e.first_failure;
        } else if (!e.settled && e.equal) {
            j.notes.push_back(std::string("another text, but the same binary as ") + e.equal);
            j.outcome = no_improvement{comparison::undecided, s_.best.time, s_.best.time};
        } else if (!e.settled) {
            j.notes.push_back("too far behind the other candidates to be measured side by side");
            j.outcome = no_improvement{comparison::slower, against_, e.fastest->time};
        }
        j.configurations = std::move(e.all.tried);
        j.notes.insert(j.notes.begin(), e.all.notes.begin(), e.all.notes.end());
        return std::move(j);
    }

    [[nodiscard]] static bool sooner(finalist const& x, finalist const& y) {
        // One that failed has no median.
        bool const fx = x.what->failed.has_value(), fy = y.what->failed.has_value();
        return fx != fy ? fy : !fx && x.what->time.median() < y.what->time.median();
    }

    state_ref const& s_;
    tools_ref const& tools_;
    evaluation& in_;
    std::vector<entry> entries_;
    std::vector<finalist> ranked_; ///< all that were not picked, the fastest first
    std::vector<finalist> picked_;
    trial const* winner_ = nullptr;
    measurement against_; ///< of whoever was to be beaten in the end
    std::size_t checked_ = 0;
};

} // namespace lkt::detail
