// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/ask.hpp>
#include <lkt/llm/thinking.hpp>
#include <lkt/nodes/detail/question.hpp>
#include <lkt/nodes/detail/within_context.hpp>
#include <lkt/nodes/prompts.hpp>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lkt::detail {

/// The text of the reply to the conversation at hand; in `separate_request` another call puts it
/// into form.
[[nodiscard]] inline chat_reply const& reply_of(ask_log const& log) {
    bool const formed_later = log.exchanges.front().mode == answer_mode::separate_request ||
                              log.exchanges.front().mode == answer_mode::hybrid;
    for (ask_exchange const& e : log.exchanges)
        if (formed_later && e.reply) return *e.reply;
    return *log.exchanges.back().reply;
}

/// A question's turns: it, and for each unusable answer what was wrong with it.
[[nodiscard]] inline conversation
turns_of(questioning const& q, planning_question what, recall how) {
    planning_record const& p = q.planning;
    bool const on_a_step =
        what == planning_question::validate || what == planning_question::break_down;
    std::span<past_step const> past(p.past);
    if (on_a_step && !past.empty()) past = past.first(past.size() - 1);
    std::size_t const told =
        how == recall::all ? past.size() : std::min(past.size(), recalled_steps);
    auto const asked = how == recall::all ? asked_in(q.s) : std::span<inquiry const>();
    planning_brief const brief{
        {q.s.task, q.s.best, q.s.baseline.time, q.s.device, {}, {}, 0, asked},
        past.last(told),
        p.open,
        q.s.history,
        on_a_step && !p.past.empty() ? &p.past.back() : nullptr,
        what == planning_question::break_down
            ? p.limits.plan_length - static_cast<int>(p.open.size())
            : p.limits.plan_length,
        past.size() - told};
    conversation turns{{role::system, q.prompts.system(q.prompts.prompts, brief)},
                       {role::user, q.prompts.question(q.prompts.prompts, what, brief)}};
    for (planning_exchange const& e : recalled_answers(p.unusable(), how)) {
        auto const said = split_thinking(e.reply).answer;
        // Servers refuse an empty turn.
        turns.push_back({role::assistant, said.empty() ? "(no text)" : std::string(said)});
        turns.push_back({role::user, q.prompts.again(q.prompts.prompts, e.faults)});
    }
    return turns;
}

/// Asks once. Nothing where the answer could not be used: it is among the unusable ones then.
/// `check` names what is wrong with one beyond its form. Errors: the model's; a budget.
template <class Answer, class Check>
[[nodiscard]] result<std::optional<Answer>>
ask_planner(questioning const& q, planning_question what, Check const& check) {
    if (auto end = q.tools.must_end_search(q.s)) return *end;
    q.tools.report_progress(q.s, activity::asking_model);
    ask_log log;
    ask_options how;
    how.mode = q.tools.answers;
    how.attempts = 1; // further ones are visits of the node: each is remembered once it was made
    how.continuations = 0;
    how.memory = q.tools.answer_memory;
    how.log = &log;
    auto const start = std::chrono::steady_clock::now();
    auto [answer, shortened] = ask_within_context(
        q.tools,
        [&](recall past) { return turns_of(q, what, past); },
        [&](conversation turns) {
            return lkt::ask<Answer>(q.model, std::move(turns), how, q.tools.context, check);
        });
    seconds const spent = std::chrono::steady_clock::now() - start;
    bool const answered = !log.exchanges.empty() && log.exchanges.back().reply.has_value();
    if (!answer && !answered) return answer.error();

    if (shortened) note_recalled(q.s.notes);
    chat_reply const& reply = reply_of(log);
    planning_exchange e{what, reply.model, reply.text, {}, spent, log.usage};
    if (!answer) {
        e.faults = log.exchanges.back().faults;
        if (e.faults.empty()) e.faults.push_back("it was cut off: answer more briefly");
    }
    seconds part = spent;
    for (ask_exchange const& one : log.exchanges) {
        if (!one.reply) continue;
        count_usage(q.s.usage, *one.reply, part);
        part = {};
    }
    q.planning.exchanges.push_back(std::move(e));
    if (!answer) return std::optional<Answer>();
    q.planning.question_from = q.planning.exchanges.size(); // this question is settled
    return std::optional<Answer>(std::move(answer->value));
}

/// A step's text in one line.
[[nodiscard]] inline std::string step_line(std::string_view text) {
    std::string line;
    for (char const c : text.substr(0, 2000)) {
        bool const blank = c == ' ' || (c >= '\t' && c <= '\r');
        if (!blank)
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line;
}

/// Steps that read alike: letters and digits, in lower case.
[[nodiscard]] inline bool same_step(std::string_view a, std::string_view b) {
    auto const plain = [](std::string_view text) {
        std::string key;
        for (char const c : text) {
            auto const byte = static_cast<unsigned char>(c);
            if (byte >= 0x80 || std::isalnum(byte))
                key += static_cast<char>(byte < 0x80 ? std::tolower(byte) : byte);
        }
        return key;
    };
    return plain(a) == plain(b);
}

/// What an answer's list of steps comes to.
struct new_steps {
    std::vector<planned_step> steps; ///< each once, none that was tried
    std::vector<std::string> known;  ///< that were, in words for the model
};

[[nodiscard]] inline new_steps
new_steps_of(std::vector<std::string> const& texts, planning_record const& p, planned_step like) {
    new_steps made;
    for (std::string const& text : texts) {
        like.text = step_line(text);
        auto const reads_alike = [&](planned_step const& other) {
            return same_step(other.text, like.text);
        };
        auto const tried = std::find_if(p.past.begin(), p.past.end(), [&](past_step const& one) {
            return reads_alike(one.step);
        });
        if (like.text.empty() || std::any_of(made.steps.begin(), made.steps.end(), reads_alike) ||
            std::any_of(p.open.begin(), p.open.end(), reads_alike))
            continue;
        if (tried != p.past.end())
            made.known.push_back("\"" + like.text + "\" was step " + std::to_string(tried->number) +
                                 " (" + std::string(to_string(tried->end)) + ")");
        else
            made.steps.push_back(like);
    }
    return made;
}

/// Why a list of steps is of no use; nothing where one of them is new, or where it is empty.
[[nodiscard]] inline std::vector<std::string> nothing_new(new_steps const& made) {
    std::vector<std::string> faults;
    if (!made.steps.empty()) return faults;
    for (std::string const& one : made.known) faults.push_back(one + ", and is not new");
    return faults;
}

/// Notes what is left out of a plan.
inline void note_left_out(new_steps const& made, std::vector<std::string>& notes) {
    for (std::string const& one : made.known)
        notes.push_back("a step was left out of a plan: " + one);
}

} // namespace lkt::detail
