// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/gate.hpp>

#include <lkt/llm/ask.hpp>
#include <lkt/nodes/detail/within_context.hpp>
#include <lkt/nodes/select_step.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace lkt {

namespace gate_texts {

constexpr prompt<rules_words> system =
    R"text(You advise on the optimisation of GPU kernels. You are given one ${language} kernel, the device and the problem size it is timed at, and one optimisation step. Say whether the step is worth a try. If it is, a new kernel is written, verified and measured; a kernel that is not faster is discarded, so only the effort is at stake.

Device
${device}
)text";
constexpr prompt<task_words> task =
    R"text(Does this step make sense for this kernel?

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

Tunable parameters of this kernel
${parameters}

Measured
${measurements}

Steps that were tried before, and their results
${past}

The step
${step}

Answer with one JSON object: "should_run" (true or false), "why" (one sentence) and "already_there" (true if the kernel already does what the step asks for; then should_run is false).
)text";
constexpr prompt<gate_again_words> unclear =
    R"text(That answer cannot be used:
${faults}

Answer again with one JSON object such as {"should_run": true, "why": "...", "already_there": false}.
)text";

} // namespace gate_texts

default_gate_prompts::default_gate_prompts() : unclear(gate_texts::unclear) {
    texts.system = gate_texts::system;
    texts.task = gate_texts::task;
}

std::string default_gate_prompts::again(std::vector<std::string> const& faults) const {
    return unclear.render({faults});
}

namespace detail {

/// What the model answers.
struct gate_reply {
    bool should_run = true;
    std::string why;
    std::optional<bool> already_there;

    using state_fields =
        fields<&gate_reply::should_run, &gate_reply::why, &gate_reply::already_there>;
    static constexpr auto notes = lkt::notes(
        "Whether an optimisation step is worth a try for a kernel.",
        note<&gate_reply::should_run>("whether the step is to be tried"),
        note<&gate_reply::why>("one sentence"),
        note<&gate_reply::already_there>("whether the kernel already does what the step asks for"));
};

/// Whether the model answered at all.
bool is_unusable_answer(error const& e) {
    return e.code == "lkt.ask.invalid" || e.code == "lkt.ask.unfinished";
}

gate_attempt attempt_of(ask_log const& log, error const& why) {
    gate_attempt made;
    if (!log.exchanges.empty()) {
        if (auto const& reply = log.exchanges.back().reply) made.reply = reply->text;
        made.faults = log.exchanges.back().faults;
    }
    if (made.faults.empty()) made.faults.push_back(why.message);
    return made;
}

result<gated> ask_gate(state_ref const& s,
                       step_ledger& l,
                       tools_ref const& tools,
                       model_ref model,
                       void const* prompts,
                       gate_turns turns,
                       answer_mode mode) {
    if (auto end = tools.must_end(s.usage)) return *end;
    ask_log log;
    // One answer a visit: what it costs is in the state before the next one is asked for.
    ask_options options{.mode = mode, .attempts = 1, .continuations = 0};
    options.reading.near_misses = true;
    options.reading.unknown_members = true;
    options.log = &log;
    tools.report_progress(s, activity::asking_model);
    auto const start = std::chrono::steady_clock::now();
    auto const [answer, shortened] = ask_within_context(
        tools,
        [&](recall how) {
            std::span<gate_attempt const> const unclear(l.gate_attempts);
            return turns(prompts, recalled(brief_of(s), how), recalled_answers(unclear, how));
        },
        [&](conversation messages) {
            return ask<gate_reply>(model, std::move(messages), options, tools.context);
        });
    if (!answer && !is_unusable_answer(answer.error())) return answer.error();
    seconds spent = std::chrono::steady_clock::now() - start;
    if (shortened) note_recalled(s.notes);
    for (ask_exchange const& e : log.exchanges)
        if (e.reply) count_usage(s.usage, *e.reply, std::exchange(spent, {}));
    if (!answer) {
        l.gate_attempts.push_back(attempt_of(log, answer.error()));
        l.current.gate = gate_verdict::unclear;
        return gated::unclear;
    }
    l.current.gate = answer->value.should_run ? gate_verdict::yes : gate_verdict::no;
    if (answer->value.should_run) return gated::yes;
    bool const there = answer->value.already_there.value_or(false);
    end_step(s, l, there ? step_outcome::present : step_outcome::declined, answer->value.why);
    return gated::no;
}

} // namespace detail
} // namespace lkt
