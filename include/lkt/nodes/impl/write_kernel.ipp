// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/write_kernel.hpp>

#include <lkt/kernel/failure.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/nodes/certify.hpp>
#include <lkt/nodes/detail/device_facts.hpp>
#include <lkt/nodes/detail/prompt_text.hpp>
#include <lkt/nodes/detail/quote.hpp>
#include <lkt/nodes/detail/task_facts.hpp>
#include <lkt/nodes/detail/wgsl_rules.hpp>
#include <lkt/nodes/detect_unchanged.hpp>
#include <lkt/nodes/words.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lkt {

namespace detail {

namespace first_kernel_texts {

constexpr prompt<rules_words> system =
    R"text(You write GPU kernels. You are given an operation, as the Python function that computes the expected results, the declaration of a ${language} kernel without a body, and the device. Answer with a kernel that computes the same results: correct at every size first, then fast.

${rules}

Device
${device}
)text";
constexpr prompt<task_words> task = R"text(Write this kernel.

Operation: ${name} computes what `lkt_operation` returns, which gets the kernel's inputs. Arrays are row-major.
${step}

Arguments
${arguments}

Problem sizes
${sizes}

Notes of the user:
${notes}

Declaration: give it a body
${kernel}

Launch, unless your answer gives another one
${launch}
)text";
constexpr prompt<signature_words> wrong_signature =
    "The name or the parameters of your kernel differ from the declaration. Keep exactly the "
    "expected declaration, and use every argument; put whatever else you need into the kernel, or "
    "into tunable parameters.\n\nExpected:\n${expected}\nGot:\n${got}";

/// The rules for rewrites, of a kernel that there is only the declaration of.
std::string about_declaration(std::string rules) {
    static constexpr std::pair<std::string_view, std::string_view> words[] = {
        {"agree with the original's", "agree with the Python function's"},
        {"the original", "the declaration"},
        {"what was changed and why it should be faster", "how it works"},
        {"the kernel that is given with the task", "the declaration that is given with the task"}};
    for (auto const& [old, now] : words)
        for (auto at = rules.find(old); at != rules.npos; at = rules.find(old, at + now.size()))
            rules.replace(at, old.size(), now);
    return rules;
}

/// What became of kernels for operations like this one.
std::string about_examples(problem const& asked) {
    if (asked.examples.empty()) return {};
    std::string text =
        "\nKernels for similar operations, from earlier runs. They are examples, and "
        "no part of the task.\n";
    for (kernel_example const& e : asked.examples)
        if (e.text.empty())
            text += "- " + ticked(e.operation) + " was rejected: " + ticked(shortened(e.why, 400)) +
                    "\n";
    for (kernel_example const& e : asked.examples)
        if (!e.text.empty())
            text += "\n" + ticked(e.operation) + " passed every check:\n" +
                    fenced(e.text, info_string(asked));
    return text;
}

} // namespace first_kernel_texts

[[nodiscard]] inline result<verification>
certify_first(state_ref const& s, tools_ref const& tools, gpu_ref gpu, candidate const& kernel) {
    certify_options how;
    how.configurations = 16;
    how.launches = 10;
    return certify(s, tools, gpu, kernel, how);
}

/// What the verification of a record's kernel came to, apart from what follows if it passed.
inline void
note_first(state_ref const& s, attempt_record& record, verification const& found, seconds spent) {
    record.testing = spent;
    for (verification_stage const& stage : found.stages)
        for (std::string const& note : stage.notes) record.notes.push_back(note);
    if (found.accepted()) return;
    if (!found.config.values.empty())
        record.context = "Configuration: " + configuration_words(found.config);
    s.attempts.push_back({record.reply, *found.why, record.context});
    record.outcome = *found.why;
}

/// The problem with `kernel` as its reference, and the dimensions of that.
[[nodiscard]] inline result<std::pair<problem, launch_dimensions>>
with_first(state_ref const& s, candidate const& kernel, verification const& found) {
    problem task = s.task;
    if (auto ok = take_first_kernel(task, kernel, found.config); !ok) return ok.error();
    auto const dimensions = task.launch.evaluate(scope_of(task.size, found.config));
    if (!dimensions) return dimensions.error();
    return std::pair(std::move(task), *dimensions);
}

inline void
take_first(state_ref const& s, std::pair<problem, launch_dimensions> with, verification found) {
    s.task = std::move(with.first);
    s.tests.reference_configuration = found.config;
    s.baseline = {.kernel = {.source = s.task.reference,
                             .parameters = s.task.parameters,
                             .restrictions = s.task.restrictions,
                             .launch = s.task.launch,
                             .description = "the first kernel"},
                  .config = found.config,
                  .dimensions = with.second,
                  .time = {},
                  .errors = std::move(found.errors)};
    s.best = s.baseline;
}

result<first_judged> judge_first(state_ref const& s, tools_ref const& tools, gpu_ref gpu) {
    if (auto end = tools.must_end()) return *end;
    if (auto ok = tools.before_launches(s); !ok) return ok.error();
    auto const start = std::chrono::steady_clock::now();
    auto found = certify_first(s, tools, gpu, s.proposal);
    if (!found) return found.error();
    std::optional<std::pair<problem, launch_dimensions>> with;
    if (found->accepted()) {
        auto made = with_first(s, s.proposal, *found);
        if (!made) return made.error();
        with = std::move(*made);
    }
    if (s.history.empty() || !std::holds_alternative<not_evaluated>(s.history.back().outcome)) {
        s.history.emplace_back();
        s.history.back().proposal = s.proposal;
    }
    note_first(s, s.history.back(), *found, std::chrono::steady_clock::now() - start);
    if (!with) return first_judged::wrong;
    take_first(s, std::move(*with), std::move(*found));
    return first_judged::right;
}

result<first_judged> judge_first_batch(state_ref const& s,
                                       std::vector<batch_proposal>& batch,
                                       tools_ref const& tools,
                                       gpu_ref gpu) {
    struct judged_kernel {
        std::size_t record; ///< in `history`
        verification found;
        seconds spent;
    };
    std::vector<judged_kernel> judged;
    std::vector<std::pair<std::size_t, std::size_t>> equal; // records, and what they repeat
    std::optional<std::size_t> best;                        // in `judged`
    std::optional<std::pair<problem, launch_dimensions>> with;
    auto const faster = [&](measurement const& a, measurement const& b) {
        return !a.empty() && (b.empty() || a.median() < b.median());
    };
    bool ready = false, ended = false;
    for (batch_proposal const& r : batch) {
        if (!r.record || s.history[*r.record].proposal.source.text.empty()) continue;
        candidate const& kernel = s.history[*r.record].proposal;
        auto const same = std::find_if(judged.begin(), judged.end(), [&](judged_kernel const& j) {
            return same_candidate(s.history[j.record].proposal, kernel);
        });
        if (same != judged.end()) {
            equal.emplace_back(*r.record, same->record);
            continue;
        }
        if (auto end = tools.must_end()) {
            if (!best) return *end;
            ended = true; // what there is will do
            break;
        }
        if (!ready)
            if (auto ok = tools.before_launches(s); !ok) return ok.error();
        ready = true;
        auto const start = std::chrono::steady_clock::now();
        auto found = certify_first(s, tools, gpu, kernel);
        if (!found) return found.error();
        judged.push_back({*r.record, std::move(*found), std::chrono::steady_clock::now() - start});
        verification const& now = judged.back().found;
        if (!now.accepted() || (best && !faster(now.time, judged[*best].found.time))) continue;
        auto made = with_first(s, kernel, now);
        if (!made) return made.error();
        with = std::move(*made);
        best = judged.size() - 1;
    }
    for (judged_kernel const& j : judged) {
        attempt_record& record = s.history[j.record];
        note_first(s, record, j.found, j.spent);
        if (j.found.accepted() && j.record != judged[*best].record)
            record.outcome =
                no_improvement{comparison::slower, judged[*best].found.time, j.found.time};
    }
    for (auto const& [record, other] : equal) {
        s.history[record].outcome = s.history[other].outcome;
        s.history[record].notes.push_back("the same kernel as another reply of the round");
    }
    if (ended) s.notes.push_back("the budget left some replies of the last round unjudged");
    std::size_t const winner = best ? judged[*best].record : 0;
    batch.clear();
    if (!best) return first_judged::wrong;
    std::rotate(s.history.begin() + static_cast<std::ptrdiff_t>(winner),
                s.history.begin() + static_cast<std::ptrdiff_t>(winner) + 1,
                s.history.end());
    take_first(s, std::move(*with), std::move(judged[*best].found));
    return first_judged::right;
}

} // namespace detail

std::string first_kernel_prompts::system(brief const& b) const {
    using namespace detail;
    bool const wgsl = b.task.reference.language == language::wgsl;
    std::string const name(to_string(b.task.reference.language));
    return first_kernel_texts::system.render(
        {name,
         without_end_of_line(first_kernel_texts::about_declaration(
             wgsl ? wgsl_rules_text() : rules_text(name, b.device))),
         device_facts(b.task, b.device)});
}

std::string first_kernel_prompts::task(brief const& b) const {
    auto words = detail::task_facts(b);
    if (b.task.oracle)
        words.step = detail::block(detail::shortened(b.task.oracle->text, 20'000), "python");
    return detail::first_kernel_texts::task.render(words) +
           detail::first_kernel_texts::about_examples(b.task);
}

std::string first_kernel_prompts::operator()(wrong_signature const& f) const {
    default_prompts said = *this;
    said.texts.wrong_signature = detail::first_kernel_texts::wrong_signature;
    return said(f);
}

result<void>
take_first_kernel(problem& task, candidate const& kernel, configuration const& config) {
    auto declared = find_kernel(kernel.source, task.signature.name);
    if (!declared) return declared.error();
    std::string const origin = task.reference.origin;
    task.signature = std::move(*declared);
    task.reference = kernel.source;
    task.reference.origin = origin;
    task.parameters = kernel.parameters;
    task.restrictions = kernel.restrictions;
    task.launch = kernel.launch;
    task.unwritten = false;
    // The one that it was judged in is tried first.
    for (tunable_parameter& p : task.parameters)
        for (auto const& [name, value] : config.values)
            if (name == p.name)
                if (auto at = std::find(p.values.begin(), p.values.end(), value);
                    at != p.values.end())
                    std::rotate(p.values.begin(), at, at + 1);
    return {};
}

} // namespace lkt
