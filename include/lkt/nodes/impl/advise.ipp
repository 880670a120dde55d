// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/advise.hpp>

#include <lkt/llm/ask.hpp>
#include <lkt/nodes/detail/answer_facts.hpp>
#include <lkt/nodes/detail/device_facts.hpp>
#include <lkt/nodes/detail/prompt_text.hpp>
#include <lkt/nodes/detail/quote.hpp>
#include <lkt/nodes/detail/within_context.hpp>

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

namespace lkt {

namespace judge_texts {

constexpr prompt<rules_words> system =
    R"text(You are an expert on the performance of GPU kernels. You judge ${language} kernels; a programmer applies what you advise, one change at a time, and each result is compiled, verified and measured.

Judge from the measurements and the code, not from habit. The change has to keep the kernel's name, its parameters and its results, and must not compute in a narrower type. It may concern the device code, how the kernel is launched, and tunable parameters (names that the tuner defines as macros and tries values of). Compiler flags, host code, libraries, inline assembly and further kernels are out of reach.

Device
${device}
)text";
constexpr prompt<judge_words> task =
    R"text(Name the one bottleneck that costs this kernel most, and the one change that relieves it.

Arguments of ${name}
${arguments}

Problem sizes
${sizes}

Notes of the user:
${notes}

Kernel
${kernel}

Launch
${launch}

Tunable parameters
${parameters}

Measured
${measurements}

Changes that were tried before, and their results
${past}

The last rewrite, which was not accepted
${rewrite}

What became of it. If its idea was good, the one change may be the same idea without this fault.
${feedback}
)text";

} // namespace judge_texts

default_judge_prompts::default_judge_prompts()
    : system_text(judge_texts::system), task_text(judge_texts::task) {}

std::string default_judge_prompts::system(brief const& b) const {
    return detail::with_assembly_rule(
        system_text.render({std::string(to_string(b.task.reference.language)),
                            {},
                            detail::device_facts(b.task, b.device)}),
        b.device);
}

namespace detail {

/// What became of a rewrite, with the compiler's log where there is one.
[[nodiscard]] inline std::string feedback_on(attempt_record const& last) {
    std::string text;
    if (auto const* same = std::get_if<no_improvement>(&last.outcome))
        text = "It computes the right results, but takes " + to_string(same->got.median()) +
               " a launch, against " + to_string(same->best.median()) +
               " of the kernel that it was to beat.";
    else if (auto const* why = std::get_if<failure>(&last.outcome)) {
        text = shortened(describe(*why), 2000);
        if (auto const* log = std::get_if<compile_failed>(why))
            text = "It does not compile:\n" + block(shortened(log->log, 4000));
        text = "Verdict: `" + std::string(name_of_failure(*why)) + "`. " + text;
    }
    return last.context.empty() ? text : text + "\n" + last.context;
}

} // namespace detail

std::string default_judge_prompts::task(brief const& b, attempt_record const* last) const {
    judge_words words;
    words.name = detail::ticked(b.task.signature.name);
    for (std::size_t i = 0; i < b.task.signature.arguments.size(); ++i)
        words.arguments.push_back(detail::argument_fact(b.task, i));
    words.sizes.push_back("timed: " + size_words(b.task.size));
    for (problem_size const& s : b.task.further_sizes)
        words.sizes.push_back("verified too: " + size_words(s));
    if (!b.task.notes.empty()) words.notes = detail::block(detail::shortened(b.task.notes, 4000));
    words.kernel = detail::block(b.current.kernel.source.text, detail::info_string(b.task));
    words.launch = detail::launch_facts(b.current.kernel.launch);
    words.parameters = detail::parameter_facts(b.current.kernel);
    words.measurements = detail::measured_facts(b.task, b.current, b.baseline, b.device);
    detail::add_answers(words.measurements, b);
    words.past = detail::past_facts(b.past, b.left_out);
    if (last != nullptr) {
        std::string const& text =
            last->proposal.source.text.empty() ? last->reply : last->proposal.source.text;
        words.rewrite = detail::block(detail::shortened(text, 12'000), detail::info_string(b.task));
        words.feedback = detail::feedback_on(*last);
    }
    return task_text.render(words);
}

namespace detail {

attempt_record const* last_rejected_attempt(std::vector<attempt_record> const& history) {
    if (history.empty()) return nullptr;
    attempt_record const& last = history.back();
    bool const refused = std::holds_alternative<failure>(last.outcome) ||
                         std::holds_alternative<no_improvement>(last.outcome);
    return refused ? &last : nullptr;
}

/// The two turns; the last rewrite's text is shortened where not all can be told.
[[nodiscard]] inline conversation
judge_turns(state_ref const& s, judge_prompts_ref prompts, recall how) {
    brief const b =
        recalled({s.task, s.best, s.baseline.time, s.device, {}, s.history, 0, asked_in(s)}, how);
    attempt_record const* last = last_rejected_attempt(s.history);
    attempt_record told;
    if (last != nullptr && how == recall::latest) {
        told = *last;
        told.proposal.source.text = shortened(told.proposal.source.text, 2000);
        told.reply = shortened(told.reply, 2000);
        last = &told;
    }
    return {{role::system, prompts.system(prompts.prompts, b)},
            {role::user, prompts.task(prompts.prompts, b, last)}};
}

[[nodiscard]] inline std::string step_of(advice const& a) {
    return a.fix + "\nWhat it is for: " + a.bottleneck + "\nWhy: " + a.why;
}

result<advised>
advise(state_ref const& s, tools_ref const& tools, model_ref model, judge_prompts_ref prompts) {
    if (auto end = tools.must_end_search(s)) return *end;
    tools.report_progress(s, activity::asking_model);
    auto const start = std::chrono::steady_clock::now();
    ask_log log;
    ask_options how;
    how.log = &log;
    auto const is_new = [&](advice const& a) {
        std::vector<std::string> faults;
        bool const before =
            std::any_of(s.history.begin(), s.history.end(), [&](attempt_record const& past) {
                return past.step.starts_with(a.fix + "\n");
            });
        if (before) faults.push_back("fix was tried before; name another change");
        return faults;
    };
    auto const [answer, shortened] = ask_within_context(
        tools,
        [&](recall past) { return judge_turns(s, prompts, past); },
        [&](conversation turns) {
            return ask<advice>(model, std::move(turns), how, tools.context, is_new);
        });
    // Its unusable answers may be what became too long.
    bool const heard = std::any_of(log.exchanges.begin(),
                                   log.exchanges.end(),
                                   [](ask_exchange const& e) { return e.reply.has_value(); });
    bool const silent = !answer && (answer.error().code.starts_with("lkt.ask.") ||
                                    (heard && exceeds_context(answer.error())));
    if (!answer && !silent) return answer.error();
    if (shortened) note_recalled(s.notes);
    for (ask_exchange const& e : log.exchanges)
        if (e.reply) count_usage(s.usage, *e.reply);
    s.usage.time += std::chrono::steady_clock::now() - start;
    s.step = silent ? std::string() : step_of(answer->value);
    if (!silent) return advised::fix;
    std::string why = "the judge named no change: " + answer.error().message;
    if (s.notes.empty() || s.notes.back() != why) s.notes.push_back(std::move(why));
    return advised::silent;
}

} // namespace detail
} // namespace lkt
