// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/finals.hpp>

#include <lkt/core/warning.hpp>
#include <lkt/evaluate/detail/final_field.hpp>
#include <lkt/evaluate/rebuild.hpp>
#include <lkt/lang/find_kernel.hpp>

#include <algorithm>
#include <deque>
#include <string_view>
#include <utility>

namespace lkt {

namespace detail {

class finals {
public:
    finals(evaluation& in,
           std::vector<searched_configurations> candidates,
           finals_scope const& scope)
        : in_(in), scope_(scope), field_(in.setup) {
        candidates_.reserve(candidates.size()); // the field points at them
        for (searched_configurations& all : candidates) candidates_.push_back({std::move(all)});
    }

    [[nodiscard]] result<std::vector<final_result>> run() {
        field_.pick_first(candidates_, in_.setup, scope_.best, scope_.min_verified);
        if (!field_.picked.empty())
            if (auto ok = measure_and_judge(); !ok) return ok.error();
        std::vector<final_result> all;
        for (final_candidate& c : candidates_) all.push_back(result_of(c));
        return all;
    }

private:
    struct rebuilt {
        tuned_kernel* of;
        trial what;
    };
    static constexpr char const* best_so_far = "the best kernel so far";

    void report(int done, int rounds) const {
        if (scope_.on_progress) scope_.on_progress(done, rounds);
    }
    [[nodiscard]] timing_rounds::rounds_sink progress() const {
        return [this](int done, int rounds) { report(done, rounds); };
    }
    [[nodiscard]] bool must_end() const { return scope_.must_end && scope_.must_end(); }

    [[nodiscard]] result<void> measure_and_judge() {
        auto const declared = find_kernel(scope_.best.kernel.source, in_.setup.task.signature.name);
        if (!declared) return declared.error();
        auto best = rebuild(in_, scope_.best, *declared, best_so_far);
        if (!best) return best.error();
        for (bool first = true; !field_.picked.empty(); first = false, pick_next()) {
            auto& picked = field_.picked;
            if (auto ok = build_missing(picked); !ok) return ok;
            std::erase_if(picked, [](finalist const& f) { return f.of->has_failed(*f.what); });
            field_.drop_equal_binaries(*best);
            if (picked.empty()) continue;
            if (auto ok = measure(*best, first); !ok) return ok;
            std::sort(picked.begin(), picked.end(), sooner);
            for (finalist const& f : picked)
                if (f.of->is_open() && !f.of->has_failed(*f.what)) {
                    if (auto ok = judge(f, *best); !ok) return ok;
                    if (auto ok = look_elsewhere(*f.of); !ok) return ok;
                }
        }
        against_ = winner_ ? winner_->time : best->time;
        scope_.best.time = best->time;
        return {};
    }

    /// Those that were measured before this search.
    [[nodiscard]] result<void> build_missing(std::vector<finalist> const& some) {
        std::vector<build_request> requests;
        std::vector<finalist> whose;
        for (finalist const& f : some)
            if (!f.what->built) {
                requests.push_back({*f.what->kernel, *f.what->declared, f.what->config});
                whose.push_back(f);
            }
        auto made = in_.build_all(requests);
        for (std::size_t k = 0; k < whose.size(); ++k) {
            if (!made[k]) return made[k].error();
            trial& t = *whose[k].what;
            if (auto* const why = std::get_if<failure>(&*made[k])) {
                whose[k].of->fail(t, std::move(*why));
            } else {
                auto time = std::move(t.time);
                t = std::get<trial>(std::move(*made[k]));
                t.time = std::move(time);
            }
        }
        return {};
    }

    /// None where the budget ends.
    void pick_next() {
        field_.pick_next();
        if (field_.picked.empty() || !must_end()) return;
        auto const cut_short =
            warning("the budget ended the search for a configuration that passes every check");
        for (finalist const& f : field_.picked) {
            auto& notes = f.of->found.notes;
            if (notes.empty() || notes.back() != cut_short) notes.push_back(cut_short);
        }
        field_.picked.clear();
    }

    /// `with_known`: with the other kernels whose times are asked for.
    [[nodiscard]] result<void> measure(trial& best, bool with_known) {
        std::vector<signature> signatures;
        std::vector<rebuilt> others;
        if (with_known)
            if (auto ok = rebuild_known(best, signatures, others); !ok) return ok;
        auto const& picked = field_.picked;
        std::vector<trial*> all;
        for (finalist const& f : picked) {
            all.push_back(f.what);
            f.of->measured.push_back(f.what);
        }
        for (rebuilt& r : others) all.push_back(&r.what);
        // A kernel to beat that is far behind is not launched again just to see that it still is:
        // the confirmation does that.
        trial const* const first = std::min_element(picked.begin(), picked.end(), sooner)->what;
        if (!in_.timing.far_apart(first->time, best.time)) all.push_back(&best);
        report(0, 0);
        if (auto ok = in_.timing.side_by_side(all, progress()); !ok) return ok.error();
        if (best.failed) return lost_kernel(*best.failed, best_so_far);
        for (rebuilt const& r : others) r.of->time = r.what.failed ? measurement{} : r.what.time;
        for (tuned_kernel& k : scope_.known)
            if (same_kernel(best, k)) k.time = best.time;
        return {};
    }

    /// The kernel to beat is in the field anyway. Those that do not compile any more lose their
    /// time.
    [[nodiscard]] result<void> rebuild_known(trial const& best,
                                             std::vector<signature>& signatures,
                                             std::vector<rebuilt>& built) {
        std::vector<tuned_kernel*> asked;
        for (tuned_kernel& k : scope_.known) {
            if (same_kernel(best, k)) continue;
            auto declared = find_kernel(k.kernel.source, in_.setup.task.signature.name);
            if (!declared) return declared.error();
            asked.push_back(&k);
            signatures.push_back(std::move(*declared));
        }
        std::vector<build_request> requests; // once no signature moves any more
        for (std::size_t k = 0; k < asked.size(); ++k)
            requests.push_back({asked[k]->kernel, signatures[k], asked[k]->config});
        auto made = in_.build_all(requests);
        for (std::size_t k = 0; k < asked.size(); ++k) {
            if (!made[k]) return made[k].error();
            if (auto* const t = std::get_if<trial>(&*made[k])) {
                t->time = asked[k]->time;
                built.push_back({asked[k], std::move(*t)});
            } else {
                asked[k]->time = {};
            }
        }
        return {};
    }

    /// The verdict on a finalist, and with it on its candidate, unless it fails.
    [[nodiscard]] result<void> judge(finalist const& f, trial& best) {
        trial& t = *f.what;
        final_candidate& c = *f.of;
        comparison verdict = comparison::slower;
        if (!t.failed && winner_) {
            verdict = in_.setup.parts.decision.compare(t.time, winner_->time);
        } else if (!t.failed) {
            auto const decided = in_.timing.beats(t, best, progress());
            if (!decided) return decided.error();
            if (best.failed) return lost_kernel(*best.failed, best_so_far);
            verdict = *decided;
        }
        if (t.failed) { // in one of the rounds
            c.fail(t, *t.failed);
            return {};
        }
        bool const wins = !winner_ && verdict == comparison::faster;
        if (wins || checked_ < scope_.min_verified) {
            auto wrong = check(t, c.found.notes, wins);
            if (!wrong) return wrong.error();
            if (*wrong) {
                c.fail(t, std::move(**wrong));
                return {};
            }
            ++checked_;
            c.found.correct = tuned_kernel{
                *t.kernel, t.config, t.dimensions, t.time, t.compiled.resources, t.occupancy};
            c.found.correct->checked = t.checked;
            c.found.correct->branches = t.branches;
            c.found.correct->errors = t.errors;
        }
        if (wins) {
            winner_ = &t;
            c.found.winner = c.found.correct;
            c.found.outcome = improvement{best.time, t.time};
        } else {
            c.found.outcome = no_improvement{verdict, winner_ ? winner_->time : best.time, t.time};
            if (winner_) c.found.notes.push_back("measured side by side with the new best kernel");
        }
        c.found.build_notes = t.compiled.notes;
        c.found.seen_in = t.config;
        c.settled = true;
        return {};
    }

    /// What was not checked before it was timed.
    [[nodiscard]] result<std::optional<failure>>
    check(trial& t, std::vector<std::string>& notes, bool wins) {
        check_call call{.when = moment::finalist,
                        .in = in_,
                        .kernel = *t.kernel,
                        .subject = &t,
                        .wins = wins,
                        .on_check = scope_.on_check};
        auto wrong = in_.pass(call);
        for (std::string& note : call.notes) notes.push_back(std::move(note));
        return wrong;
    }

    /// After failures that are all alike: checks configurations that are most unlike those, before
    /// more of them are measured. One that passes says that it depends on the values.
    [[nodiscard]] result<void> look_elsewhere(final_candidate& c) {
        int const enough = c.last_failure ? patience(*c.last_failure, in_.setup.options) : 0;
        if (c.settled || c.one_passes || c.failed.empty() || c.alike_so_far < enough) return {};
        failure const before = *c.last_failure;
        for (int n = 0; n < enough; ++n) {
            trial* const t = c.most_unlike_failed();
            if (t == nullptr || must_end()) return {}; // nothing is left to pick, or no time
            report(0, 0);
            if (auto ok = build_missing({{t, &c}}); !ok) return ok;
            if (!c.has_failed(*t)) {
                std::vector<std::string> notes;
                auto wrong = check(*t, notes, false);
                if (!wrong) return wrong.error();
                c.one_passes = !*wrong;
                if (c.one_passes) return {};
                c.fail(*t, std::move(**wrong));
            }
            if (!alike(before, *c.last_failure)) return {};
        }
        c.given_up = true;
        c.found.notes.push_back(
            "the search for a configuration that passes every check ended early: " +
            std::to_string(c.alike_so_far) + " in a row failed alike (" +
            std::string(name_of_failure(before)) + "), the last " + std::to_string(enough) +
            " of them chosen to differ most from the others");
        return {};
    }

    [[nodiscard]] final_result result_of(final_candidate& c) const {
        final_result& found = c.found;
        measurement const& best = scope_.best.time;
        if (!c.fastest) {
            found.notes.push_back("the only working configuration is the kernel to beat itself");
            found.outcome = no_improvement{comparison::undecided, best, best};
        } else if (!c.settled && c.first_failure) {
            found.outcome = *c.first_failure;
        } else if (!c.settled && c.equal) {
            found.notes.push_back(std::string("another text, but the same binary as ") + c.equal);
            found.outcome = no_improvement{comparison::undecided, best, best};
        } else if (!c.settled) {
            found.notes.push_back(
                "too far behind the other candidates to be measured side by side");
            found.outcome = no_improvement{comparison::slower, against_, c.fastest->time};
        }
        for (trial const* const t : c.measured)
            for (tried_configuration& one : c.all.tried)
                if (!t->failed && !one.failed() && one.config == t->config) one.in_finals = t->time;
        found.configurations = std::move(c.all.tried);
        found.space = c.all.space;
        found.notes.insert(found.notes.begin(), c.all.notes.begin(), c.all.notes.end());
        return std::move(found);
    }

    evaluation& in_;
    finals_scope const& scope_;
    std::vector<final_candidate> candidates_;
    final_field field_;
    trial const* winner_ = nullptr;
    measurement against_; ///< of whoever was to be beaten in the end
    std::size_t checked_ = 0;
};

} // namespace detail

result<std::vector<final_result>> hold_finals(evaluation& in,
                                              std::vector<searched_configurations> candidates,
                                              finals_scope const& scope) {
    return detail::finals(in, std::move(candidates), scope).run();
}

} // namespace lkt
