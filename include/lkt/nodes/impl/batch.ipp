// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/batch.hpp>

#include <lkt/core/wait.hpp>
#include <lkt/lang/similarity.hpp>
#include <lkt/nodes/detail/evaluation_result.hpp>
#include <lkt/nodes/detail/patched_reply.hpp>
#include <lkt/nodes/detail/profiling.hpp>
#include <lkt/nodes/detail/rounds.hpp>
#include <lkt/nodes/detail/within_context.hpp>
#include <lkt/nodes/detect_unchanged.hpp>
#include <lkt/nodes/reply.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <string>
#include <variant>

namespace lkt::detail {

/// How many of `wanted` calls the budget allows, or the error where that is none.
[[nodiscard]] inline result<std::size_t>
affordable_calls(tools_ref const& tools, model_usage usage, std::size_t wanted) {
    for (std::size_t n = 0; n < wanted; ++n, ++usage.calls)
        if (auto end = tools.must_end(usage)) {
            if (n == 0) return *end;
            return n;
        }
    return wanted;
}

inline void take_reply(state_ref const& s,
                       batch_request const& of,
                       chat_reply const& reply,
                       std::uint64_t round) {
    auto read = of.proposal->patch ? read_patched_reply(reply, s.task, *of.before)
                                   : read_reply(reply, s.task, *of.before);
    attempt_record record;
    record.step = s.step;
    record.model = reply.model;
    record.reply = reply.text;
    record.notes = std::move(read.notes);
    record.usage = reply.usage;
    record.parent = attempt_of(s.history, *of.before);
    record.round = round;
    if (auto* why = std::get_if<failure>(&read.what)) {
        s.attempts.push_back({reply.text, *why, {}});
        record.outcome = std::move(*why);
    } else {
        record.proposal = std::get<candidate>(std::move(read.what));
    }
    of.proposal->record = s.history.size();
    s.history.push_back(std::move(record));
}

inline void drop_unanswered(std::vector<batch_proposal>& batch) {
    std::erase_if(batch, [](batch_proposal const& r) { return !r.record; });
}

std::span<attempt_record const> before_round(std::span<attempt_record const> history,
                                             std::span<batch_proposal const> batch) {
    std::size_t first = history.size();
    for (batch_proposal const& r : batch) first = std::min(first, r.record.value_or(first));
    return history.first(first);
}

/// What the proposals were asked, and what came.
struct batch_replies {
    std::vector<result<chat_reply>> replies;
    std::vector<bool> shortened; ///< whose request told of the latest alone
};

/// As `ask_within_context`, for all of them at once.
[[nodiscard]] inline batch_replies ask_all_within_context(tools_ref const& tools,
                                                          batch_model_ref model,
                                                          std::span<batch_request const> requests,
                                                          std::int64_t calls_before) {
    std::vector<chat_request> questions(requests.size());
    batch_replies all{{}, std::vector<bool>(requests.size())};
    for (std::size_t k = 0; k < requests.size(); ++k) {
        batch_request const& r = requests[k];
        all.shortened[k] = r.latest != r.turns && tools.are_too_long(r.turns);
        questions[k].messages = all.shortened[k] ? r.latest : r.turns;
        // Equal questions are told apart by whoever keeps replies under them.
        questions[k].seed = static_cast<std::uint64_t>(calls_before) + k + 1;
    }
    all.replies = model.complete_all(questions, tools.context);
    auto const refused = [&](std::size_t k) {
        return !all.replies[k] && exceeds_context(all.replies[k].error());
    };
    std::vector<chat_request> shorter;
    std::vector<std::size_t> whose;
    for (std::size_t k = 0; k < requests.size(); ++k)
        if (refused(k) && !all.shortened[k] && requests[k].latest != requests[k].turns) {
            whose.push_back(k);
            shorter.push_back(std::move(questions[k]));
            shorter.back().messages = requests[k].latest;
            all.shortened[k] = true;
        }
    if (!shorter.empty()) {
        auto again = model.complete_all(shorter, tools.context);
        for (std::size_t i = 0; i < whose.size(); ++i) all.replies[whose[i]] = std::move(again[i]);
    }
    for (std::size_t k = 0; k < requests.size(); ++k)
        if (refused(k)) all.replies[k] = still_too_long(all.replies[k].error(), all.shortened[k]);
    return all;
}

/// A server that asks for more has its proposals left out.
constexpr std::chrono::minutes max_batch_wait{10};

result<asked> ask_batch(state_ref const& s,
                        std::vector<batch_proposal>& batch,
                        tools_ref const& tools,
                        batch_model_ref model,
                        std::vector<batch_request> requests) {
    if (requests.empty()) return asked::all;
    std::size_t const wanted = requests.size(), before = batch.size() - wanted;
    if (before == 0)
        if (auto end = tools.must_end_search(s)) return *end;
    auto const affordable = affordable_calls(tools, s.usage, wanted);
    if (!affordable && (before == 0 || affordable.error().kind == condition::cancelled))
        return affordable.error();
    requests.resize(affordable ? *affordable : 0);
    tools.report_progress(s, activity::asking_model, 0, wanted);
    // As long as the server asked for when some of them failed.
    std::chrono::milliseconds wait{};
    for (batch_proposal const& r : batch)
        if (!r.record) wait = std::max(wait, r.wait);
    if (wait.count() > 0 && !blocking_waiter::wait(wait, tools.context.stop))
        return cancelled("the wait to ask the model again");
    auto const start = std::chrono::steady_clock::now();
    auto const [replies, shortened] = ask_all_within_context(tools, model, requests, s.usage.calls);
    seconds const spent = std::chrono::steady_clock::now() - start;

    // Who was asked several times, or is to be left alone for too long, was given up further in.
    auto const given_up = [](error const& e) {
        return e.attempts > 1 || (e.retry_after && *e.retry_after > max_batch_wait);
    };
    std::optional<error> transient, lasting;
    std::chrono::milliseconds asked_for{};
    std::size_t came = 0;
    for (auto const& reply : replies) {
        if (reply)
            ++came;
        else if (reply.error().kind == condition::suspended)
            return reply.error(); // who answers later has kept what came
        else if (reply.error().kind == condition::transient) {
            asked_for = std::max(asked_for, reply.error().retry_after.value_or(asked_for));
            if (!transient || !given_up(reply.error())) transient = reply.error();
        } else if (!lasting || reply.error().kind == condition::cancelled)
            lasting = reply.error();
    }
    if (transient && asked_for.count() > 0) transient->retry_after = asked_for;
    // The calls were made at the same time: each has its share of it.
    seconds const share = spent / std::max<double>(1, static_cast<double>(came));
    if (came == 0 && lasting && (before == 0 || lasting->kind == condition::cancelled))
        return *lasting;
    if (came == 0 && transient && before == 0) return *transient;
    std::uint64_t round = 1;
    for (attempt_record const& a : before_round(s.history, batch))
        round = std::max(round, a.round + 1);
    for (std::size_t k = 0; k < replies.size(); ++k) {
        if (!replies[k]) continue;
        count_usage(s.usage, *replies[k], share);
        take_reply(s, requests[k], *replies[k], round);
        s.history.back().thinking = share;
        if (shortened[k]) note_recalled(s.history.back().notes);
    }
    if (lasting && lasting->kind == condition::cancelled) return asked::some;
    std::size_t const answered = before + came;
    auto const note = [&](std::string const& why) {
        s.notes.push_back("only " + std::to_string(answered) + " of " +
                          std::to_string(batch.size()) + " proposals were asked for: " + why);
    };
    if (requests.size() < wanted)
        note("the budget is used up there");
    else if (lasting)
        note(lasting->message);
    else if (transient && !given_up(*transient)) {
        for (batch_proposal& r : batch)
            if (!r.record) r.wait = asked_for;
        return asked::some;
    } else if (transient)
        note(transient->message);
    bool const limited =
        requests.size() < wanted || (lasting && lasting->kind == condition::exhausted);
    if (limited && tools.trials != nullptr) tools.trials->cut_short();
    drop_unanswered(batch);
    return asked::all;
}

[[nodiscard]] inline bool is_open(attempt_record const& r) {
    return std::holds_alternative<not_evaluated>(r.outcome) && !r.proposal.source.text.empty();
}

/// The evaluation of a batch, up to the finals.
class batch_evaluation {
public:
    batch_evaluation(state_ref const& s,
                     std::vector<batch_proposal> const& batch,
                     double novelty,
                     std::uint64_t conditions)
        : s_(s), conditions_(conditions) {
        for (std::size_t k = 0; k < batch.size(); ++k)
            if (batch[k].record && is_open(s.history[*batch[k].record])) enter(batch, k, novelty);
    }

    struct pending_proposal {
        std::size_t index;  ///< in the batch
        std::size_t record; ///< in the history
        std::optional<evaluation_result> over{};
        seconds spent{};
    };
    struct duplicate {
        std::size_t record, of; ///< in the history
    };

    std::vector<pending_proposal> pending;
    std::vector<duplicate> duplicates;
    std::vector<std::pair<std::size_t, std::string>> alike; ///< records, and what is said of them

    /// Compiles, verifies and times each briefly. A budget that is used up ends it when something
    /// has worked.
    [[nodiscard]] result<std::vector<searched_configurations>>
    first_rounds(tools_ref const& tools, evaluation& e, search_ref policy) {
        std::vector<searched_configurations> all;
        for (pending_proposal& r : pending) {
            auto const start = std::chrono::steady_clock::now();
            candidate const& k = s_.history[r.record].proposal;
            judged_configurations const known(s_.history, k, conditions_);
            auto first = first_round(s_, tools, e, policy, k, known, signatures_.emplace_back());
            if (!first) {
                if (first.error().kind == condition::exhausted && !all.empty()) break;
                return first.error();
            }
            r.spent = std::chrono::steady_clock::now() - start;
            if (auto* over = std::get_if<evaluation_result>(&*first)) {
                r.over = std::move(*over);
            } else {
                finalists_.push_back(&r);
                all.push_back(std::get<searched_configurations>(std::move(*first)));
            }
        }
        return all;
    }

    void take_results(std::vector<evaluation_result> judged, seconds spent) {
        for (std::size_t k = 0; k < judged.size(); ++k) {
            finalists_[k]->over = std::move(judged[k]);
            finalists_[k]->spent += spent / static_cast<double>(judged.size());
        }
    }

private:
    void enter(std::vector<batch_proposal> const& batch, std::size_t index, double novelty) {
        std::size_t const mine = *batch[index].record;
        candidate const& k = s_.history[mine].proposal;
        if (auto const other = judged_before(s_.history, k, conditions_))
            return duplicates.push_back({mine, *other});
        for (std::size_t other = 0; other < mine; ++other) {
            attempt_record const& before = s_.history[other];
            if (before.proposal.source.text.empty()) continue;
            bool const judged = !is_open(before) || is_pending(other);
            if (!judged) continue;
            if (is_open(before) && same_candidate(before.proposal, k))
                return duplicates.push_back({mine, other});
            // A failed one may be what this repairs.
            bool const near = novelty < 1 && ended_as(before) != evaluated::failed &&
                              before.proposal.launch == k.launch &&
                              before.proposal.parameters == k.parameters &&
                              similarity(before.proposal.source.text, k.source.text) > novelty;
            if (near) {
                alike.emplace_back(mine,
                                   "too similar to proposal " + std::to_string(other + 1) +
                                       " to be evaluated");
                return;
            }
        }
        pending.push_back({index, mine});
    }
    [[nodiscard]] bool is_pending(std::size_t record) const {
        return std::any_of(pending.begin(), pending.end(), [&](pending_proposal const& r) {
            return r.record == record;
        });
    }

    state_ref const& s_;
    std::uint64_t const conditions_;
    std::deque<lkt::signature> signatures_; ///< what is evaluated points at them
    std::vector<pending_proposal*> finalists_;
};

/// How the proposals ended, all together.
[[nodiscard]] inline evaluated end_of_batch(state_ref const& s,
                                            std::vector<batch_proposal> const& batch) {
    evaluated end = evaluated::failed;
    for (batch_proposal const& r : batch) {
        evaluated const one = ended_as(s.history[*r.record]);
        if (one == evaluated::faster || end == evaluated::failed) end = one;
    }
    return end;
}

result<evaluated> evaluate_batch(state_ref const& s,
                                 std::vector<batch_proposal>& batch,
                                 tools_ref const& tools,
                                 gpu_ref gpu,
                                 search_ref policy,
                                 batch_options const& options) {
    bool const open = std::any_of(batch.begin(), batch.end(), [&](batch_proposal const& r) {
        return r.record && is_open(s.history[*r.record]);
    });
    if (open)
        if (auto ok = tools.before_launches(s); !ok) return ok.error();
    auto const conditions = conditions_of(s, tools);
    batch_evaluation work(s, batch, options.novelty, conditions);
    if (!work.pending.empty()) {
        if (auto end = tools.must_end()) return *end;
        if (auto fault = nothing_to_judge_by(s)) return *fault;
        evaluation e(setup_of(s, tools, gpu));
        auto all = work.first_rounds(tools, e, policy);
        if (!all) return all.error();
        auto const start = std::chrono::steady_clock::now();
        auto judged = finals_of(s, tools, e, std::move(*all), options.known, options.kept);
        if (!judged) return judged.error();
        work.take_results(std::move(*judged), std::chrono::steady_clock::now() - start);
    }
    for (auto& r : work.pending) {
        attempt_record& record = s.history[r.record];
        if (!r.over) {
            record.notes.push_back("not evaluated: the budget was used up before its turn");
            continue;
        }
        if (r.over->winner) s.best = *r.over->winner;
        batch[r.index].measured = std::move(r.over->correct);
        close_record(record, std::move(*r.over), r.spent, conditions);
    }
    for (auto const& duplicate : work.duplicates) {
        // One that the budget kept from its turn has no verdict.
        bool const judged = !is_open(s.history[duplicate.of]);
        close_record(s.history[duplicate.record],
                     earlier_result(s.history, duplicate.of),
                     {},
                     judged ? conditions : 0);
    }
    for (auto& [record, note] : work.alike) s.history[record].notes.push_back(std::move(note));
    drop_unanswered(batch);               // nobody asks for them any more
    for (batch_proposal const& r : batch) // those without code are among the attempts already
        if (!s.history[*r.record].proposal.source.text.empty())
            if (auto again = rejected_attempt_of(s.history[*r.record]))
                s.attempts.push_back(*std::move(again));
    if (tools.trials != nullptr) tools.trials->clear();
    evaluated const end = end_of_batch(s, batch);
    if (end == evaluated::faster) {
        profile_best(s, tools, gpu);
        for (batch_proposal& r : batch) // the winner, which lives on in a strategy's own list
            if (r.measured && r.measured->kernel == s.best.kernel &&
                r.measured->config == s.best.config)
                r.measured->profile = s.best.profile;
    }
    return end;
}

} // namespace lkt::detail
