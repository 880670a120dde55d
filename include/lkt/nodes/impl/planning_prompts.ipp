// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/planning_prompts.hpp>

#include <lkt/nodes/detail/device_facts.hpp>
#include <lkt/nodes/detail/prompt_text.hpp>
#include <lkt/nodes/detail/quote.hpp>
#include <lkt/nodes/detail/replace_prompt.hpp>
#include <lkt/nodes/detail/task_facts.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace lkt {

// Constants, since g++ 12 takes no consteval constructor in a list of initialisers.
namespace planning_text {

constexpr prompt<rules_words> system =
    R"text(You plan, step by step, how a ${language} kernel becomes faster. You write no code: for each step somebody else rewrites the kernel, chooses values for its tunable parameters, checks the results and measures the time. The rewrite is kept if it is right and faster, so each step starts from the best kernel so far.

${rules}

Device
${device}
)text";
constexpr prompt<task_words> task = R"text(Arguments of ${name}
${arguments}

Problem sizes
${sizes}

Notes of the user:
${notes}

Kernel
${kernel}

Launch
${launch}

Tunable parameters of this kernel
${parameters}

Measured
${measurements}
)text";
constexpr prompt<planning_words> plan =
    R"text(Plan at most ${max_steps} steps that make this kernel faster, the most promising first. Where a step builds on another one, put it behind it. Find first what bounds the kernel on this device at this size (memory traffic, reuse, latency, instruction count), and leave out what would not change that. An empty list means that you see nothing to gain.

Steps that were tried before, and their results
${past}
)text";
constexpr prompt<planning_words> validate =
    R"text(Is this a step for the kernel above?
${step}

It is valid if it can be applied to this kernel as it is by changing only device code, launch and tunable parameters, and keeps all the rules. It is not valid if it needs host code, compiler options, other tools or other inputs, if the kernel already has it, or if it has nothing to do with this kernel. Do not judge whether it is faster: that is measured. Give the reason in one sentence.
)text";
constexpr prompt<planning_words> break_down =
    R"text(Should this step be broken down into smaller ones?
${step}

Break it down only if it consists of changes that can be applied and measured one after the other, each of which can help by itself; most steps should stay whole. If so, give two to ${max_steps} steps, in order, that together replace it.

Steps after it
${open}
)text";
constexpr prompt<planning_words> replan =
    R"text(The plan is finished. The kernel above is the best one so far.

Steps that were tried, and their results
${past}

Decide whether further steps could make it faster. If so, plan at most ${max_steps} new ones, the most promising first. Learn from the results of the others: do not repeat a step, unless the cause of its failure is gone, and then say what to do differently. If no further step would help, say so.
)text";
constexpr prompt<unusable_answer_words> again = R"text(That answer cannot be used:
${faults}

Answer again, with the whole of it corrected.
)text";

} // namespace planning_text

planning_texts::planning_texts()
    : system(planning_text::system), task(planning_text::task), plan(planning_text::plan),
      validate(planning_text::validate), break_down(planning_text::break_down),
      replan(planning_text::replan), again(planning_text::again) {}

result<void> planning_texts::replace(std::string_view name, std::string_view text) {
    return detail::replace_prompt(*this, name, text);
}

namespace detail {

inline constexpr char step_rules[] = R"text(Rules for a step
- One isolated change of the device code that can be applied, verified and measured by itself, in one or two sentences: what is changed, and why that should help here. No code.
- It may change the kernel's body, add helper functions, types, shared memory and tunable parameters, and choose how the kernel is launched: grid, block, dynamic shared memory.
- The kernel's name, its parameters and its results stay as they are, within rounding, at every size. No narrower type for computing.
- No host code, no inline assembly, no attributes, no compiler options, no other kernel launched, no libraries, no profiling: what can be measured is measured anyway.
)text";

/// What a step came to, in one line.
std::string step_fact(past_step const& p, std::span<attempt_record const> history) {
    std::string text = step_words(p);
    text = shortened(text, 400) + ": ";
    auto const from = std::min(p.first_record, history.size());
    auto const records = history.subspan(from, std::min(p.records, history.size() - from));
    std::string const tries =
        records.size() > 1 ? " (after " + std::to_string(records.size()) + " attempts)" : "";
    switch (p.end) {
    case step_end::applied:
    case step_end::no_gain:
        for (std::size_t i = records.size(); i-- > 0;) {
            auto const& outcome = records[i].outcome;
            if (std::holds_alternative<improvement>(outcome) ||
                std::holds_alternative<no_improvement>(outcome)) {
                text += outcome_fact(outcome) + tries;
                break;
            }
        }
        break;
    case step_end::not_applicable:
        text += "not applicable: the kernel came back unchanged";
        break;
    case step_end::failed:
        text += "failed" + tries + (p.why.empty() ? "" : ", " + shortened(p.why, 300));
        break;
    case step_end::invalid:
        text += "invalid, not tried" + (p.why.empty() ? "" : ": " + shortened(p.why, 300));
        break;
    case step_end::broken_down:
        text += "broken down into smaller steps";
        break;
    case step_end::open:
        text += "not tried";
        break;
    }
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

} // namespace detail

std::string default_planning_prompts::system(planning_brief const& b) const {
    problem const& task = b.task.task;
    return texts.system.render(
        {std::string(to_string(task.reference.language)),
         detail::without_end_of_line(detail::with_assembly_rule(detail::step_rules, b.task.device)),
         detail::device_facts(task, b.task.device)});
}

std::string default_planning_prompts::question(planning_question what,
                                               planning_brief const& b) const {
    planning_words words;
    if (b.left_out > 0) words.past.push_back(detail::left_out_words(b.left_out, "step"));
    for (past_step const& p : b.past) words.past.push_back(detail::step_fact(p, b.history));
    for (planned_step const& p : b.open) words.open.push_back(p.text);
    if (b.step) words.step = detail::block(b.step->step.text);
    words.max_steps = b.max_steps;
    std::string text = texts.task.render(detail::task_facts(b.task)) + "\n";
    switch (what) {
    case planning_question::plan:
        return text + texts.plan.render(words);
    case planning_question::validate:
        return text + texts.validate.render(words);
    case planning_question::break_down:
        return text + texts.break_down.render(words);
    case planning_question::replan:
        return text + texts.replan.render(words);
    }
    return text;
}

std::string default_planning_prompts::again(std::vector<std::string> const& faults) const {
    return texts.again.render({faults});
}

} // namespace lkt
