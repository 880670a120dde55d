// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/inquire.hpp>

#include <lkt/llm/ask.hpp>
#include <lkt/nodes/detail/answer_facts.hpp>
#include <lkt/nodes/detail/answering.hpp>
#include <lkt/nodes/detail/device_facts.hpp>
#include <lkt/nodes/detail/task_facts.hpp>
#include <lkt/nodes/detail/wish_faults.hpp>
#include <lkt/nodes/detail/within_context.hpp>
#include <lkt/nodes/detect_unchanged.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace lkt {

namespace inquiry_text {

constexpr prompt<rules_words> system =
    R"text(You are an expert on the performance of GPU kernels. A ${language} kernel is about to be rewritten so that it becomes faster. Before that you may ask for facts about it; the answers are shown to whoever decides on the change and to whoever writes it. You write no code here.

Ask for what decides between changes that you consider, not for what you can read from the text or what is measured already. Each question costs seconds to minutes. Where no answer would change what to do next, ask nothing.

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

Changes that were tried before, and their results
${past}
)text";
constexpr prompt<offer_words> ask =
    R"text(What do you want to know of this kernel before it is changed? These kinds of questions are answered here, and no others:
${offers}

Ask at most ${most} questions, or none.
)text";

} // namespace inquiry_text

default_inquiry_prompts::default_inquiry_prompts()
    : system_text(inquiry_text::system), task_text(inquiry_text::task),
      ask_text(inquiry_text::ask) {}

std::string default_inquiry_prompts::system(brief const& b) const {
    return system_text.render({std::string(to_string(b.task.reference.language)),
                               {},
                               detail::device_facts(b.task, b.device)});
}

std::string default_inquiry_prompts::task(brief const& b,
                                          std::vector<std::string> const& offers) const {
    return task_text.render(detail::task_facts(b)) + "\n" +
           ask_text.render({offers, evidence_wishes::most});
}

namespace detail {

std::vector<std::string> offers_of(evidence_offer const& offer, tuned_kernel const& k) {
    using namespace inquiring;
    std::vector<std::string> all;
    if (!offer.compiler.empty()) all.push_back("`compiler`: " + offer.compiler);
    if (!offer.code.empty())
        all.push_back("`code`: the machine code (" + offer.code + "), at most " +
                      std::to_string(evidence_lines) +
                      " lines, with the line of the kernel's text that an instruction belongs to. "
                      "`line`: only "
                      "that line's and those of the two lines before and after it; `containing`: "
                      "only instructions whose text "
                      "contains this, at most " +
                      std::to_string(most_containing) +
                      " characters; with neither, the beginning. How many instructions of each "
                      "kind there are "
                      "is said in any case");
    if (!offer.stalls.empty()) all.push_back("`stalls`: " + offer.stalls);
    if (!offer.counters.empty()) {
        std::string text =
            "`counters`: values of hardware counters in one launch with cold caches. "
            "`counters`: the names of at most 12 of: ";
        for (std::size_t i = 0; i < offer.counters.size(); ++i) {
            offered_counter const& c = offer.counters[i];
            text += (i == 0 ? "" : "; ") + c.name + " (" + c.unit +
                    (c.meaning.empty() ? "" : ": " + c.meaning) + ")";
        }
        all.push_back(std::move(text));
    }
    if (auto const names = askable_parameters(k); !names.empty())
        all.push_back("`timing`: the time of a launch with other values of tunable parameters, "
                      "compiled, verified and timed as any configuration is, beside that of the "
                      "kernel as it is (" +
                      configuration_words(k.config) +
                      "). `parameters`: those that get another value, of: " + joined(names, ", ") +
                      "; any integer from 0 to " + std::to_string(most_value) +
                      " that the restrictions allow, 0 or 1 for one that is true or false; also "
                      "values that are not among those listed");
    return all;
}

std::string fault_in(evidence_wish const& w, evidence_offer const& offer, tuned_kernel const& k) {
    using namespace inquiring;
    auto const kinds = kinds_of(offer, k);
    if (std::find(kinds.begin(), kinds.end(), w.what) == kinds.end())
        return "what is " + said(w.what) + "; what can be asked for: " + joined(kinds, ", ");
    if (w.what == "code") return fault_in_code(w, k);
    if (w.what == "counters") return fault_in_counters(w, offer);
    if (w.what == "timing") return fault_in_timing(w, k);
    return {};
}

std::string question_words(evidence_wish const& w) {
    using namespace inquiring;
    std::string text = said(w.what);
    text = text.substr(1, text.size() - 2);
    if (w.what == "compiler") return "what the compiler did (compiler)";
    if (w.what == "stalls") return "what threads wait for, by line (stalls)";
    if (w.what == "code") {
        text = "machine code (code)";
        if (w.containing && !w.containing->empty()) text += " that contains " + said(*w.containing);
        if (w.line) text += " around line " + std::to_string(*w.line);
    } else if (w.what == "counters") {
        text = "counters";
        for (std::size_t i = 0; i < w.counters.size(); ++i)
            text += (i == 0 ? " " : ", ") + w.counters[i].substr(0, 60);
    } else if (w.what == "timing") {
        text = "timing with";
        for (auto const& [name, value] : w.parameters)
            text += (text.ends_with("with") ? " " : ", ") + name.substr(0, 60) + "=" +
                    std::to_string(value);
    }
    return text;
}

std::uint64_t identity_of(tuned_kernel const& k) {
    std::uint64_t hash = 0xcbf29ce484222325u; // 64-bit FNV-1a
    auto const take = [&](std::string_view text) {
        for (char const c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
        hash = (hash ^ 0xffu) * 0x100000001b3u;
    };
    take(k.kernel.source.text);
    take(launch_words(k.kernel.launch));
    take(to_string(k.config));
    return hash;
}

namespace inquiring {

constexpr std::chrono::seconds time_to_answer{180}; // then no further question is begun

/// Whether a kernel is to be asked about: not too often, and not after the model had no question.
bool may_ask(std::vector<inquiry> const& all, std::uint64_t kernel) {
    std::size_t count = 0;
    inquiry const* last = nullptr;
    for (inquiry const& one : all)
        if (one.kernel == kernel) ++count, last = &one;
    return count < inquiries_of_one_kernel &&
           (last == nullptr || !last->answers.empty() || !last->faults.empty());
}

bool was_answered(std::vector<inquiry> const& all,
                  std::uint64_t kernel,
                  std::string const& question) {
    for (inquiry const& one : all)
        for (evidence_answer const& a : one.answers)
            if (one.kernel == kernel && a.answered && a.question == question) return true;
    return false;
}

/// What a model said when it might ask.
struct heard {
    std::vector<evidence_wish> questions;
    ask_log log;
    std::vector<std::string> faults; ///< of an answer that is of no use
    seconds thinking{};
    bool shortened = false;
};

struct asking {
    state_ref const& s;
    std::vector<inquiry> const& before;
    tools_ref const& tools;
    model_ref model;
    inquiry_prompts_ref prompts;
    evidence_offer const& offer;
    tuned_kernel const& k;
};

result<heard> ask_for_questions(asking const& a) {
    auto const kernel = identity_of(a.k);
    auto const offers = offers_of(a.offer, a.k);
    auto const turns = [&](recall how) -> conversation {
        brief const b = recalled(
            {a.s.task, a.k, a.s.baseline.time, a.s.device, {}, a.s.history, 0, a.before}, how);
        return {{role::system, a.prompts.system(a.prompts.prompts, b)},
                {role::user, a.prompts.task(a.prompts.prompts, b, offers)}};
    };
    int read = 0;
    auto const check = [&](evidence_wishes const& w) {
        std::vector<std::string> faults;
        for (std::size_t i = 0; i < w.questions.size(); ++i) {
            evidence_wish const& one = w.questions[i];
            std::string fault = fault_in(one, a.offer, a.k);
            if (fault.empty() && was_answered(a.before, kernel, question_words(one)))
                fault = question_words(one) + " was asked before; the answer is above";
            if (!fault.empty()) faults.push_back("questions[" + std::to_string(i) + "]: " + fault);
        }
        // Then what can be answered is, and the rest is told to be none.
        if (++read > 1) faults.clear();
        return faults;
    };
    heard h;
    ask_options how;
    how.mode = a.tools.answers;
    how.memory = a.tools.answer_memory;
    how.attempts = 2;
    how.log = &h.log;
    auto const start = std::chrono::steady_clock::now();
    auto made = ask_within_context(a.tools, turns, [&](conversation c) {
        return ask<evidence_wishes>(a.model, std::move(c), how, a.tools.context, check);
    });
    h.thinking = std::chrono::steady_clock::now() - start;
    h.shortened = made.shortened;
    bool const replied = std::any_of(h.log.exchanges.begin(),
                                     h.log.exchanges.end(),
                                     [](ask_exchange const& e) { return e.reply.has_value(); });
    if (!made.answer) {
        error const& why = made.answer.error();
        bool const unusable = why.code.starts_with("lkt.ask.") || (replied && exceeds_context(why));
        if (!unusable) return why;
        h.faults.push_back(why.message);
        return h;
    }
    h.questions = std::move(made.answer->value.questions);
    return h;
}

/// Errors: those of the model; cancelled. Nothing has changed then.
result<inquiry> inquire_about(asking const& a, gpu_ref gpu) {
    auto said = ask_for_questions(a);
    if (!said) return said.error();
    inquiry made;
    made.kernel = identity_of(a.k);
    made.attempt = attempt_of(a.s.history, a.k.kernel);
    made.config = a.k.config;
    made.faults = std::move(said->faults);
    made.thinking = said->thinking;
    made.usage = said->log.usage;
    for (ask_exchange const& e : said->log.exchanges)
        if (e.reply) made.model = e.reply->model, made.reply = e.reply->text;
    auto const start = std::chrono::steady_clock::now();
    auto const left_out = [&](std::string question, std::string why) {
        made.answers.push_back({std::move(question), std::move(why), false, {}});
    };
    std::optional<answerer> answers;
    for (evidence_wish const& w : said->questions) {
        auto const question = question_words(w);
        if (auto fault = fault_in(w, a.offer, a.k); !fault.empty()) {
            left_out(question, std::move(fault));
            continue;
        }
        if (was_answered(a.before, made.kernel, question)) continue;
        if (auto const end = a.tools.must_end()) {
            if (end->kind == condition::cancelled) return *end;
            left_out(question, "the run ends: " + end->message);
            continue;
        }
        if (std::chrono::steady_clock::now() - start > time_to_answer) {
            left_out(question, "the answers before it took too long");
            continue;
        }
        if (!answers) {
            if (auto ok = a.tools.before_launches(a.s); !ok) return ok.error();
            if (a.s.tests.tests.empty()) {
                left_out(question, "there are no tests to launch it with");
                continue;
            }
            answers.emplace(a.s, a.tools, gpu, a.k);
        }
        a.tools.report_progress(a.s, activity::answering);
        auto found = answers->answer(w);
        if (!found) return found.error();
        made.answers.push_back(*std::move(found));
    }
    seconds part = made.thinking;
    for (ask_exchange const& e : said->log.exchanges)
        if (e.reply) count_usage(a.s.usage, *e.reply, std::exchange(part, seconds{}));
    if (said->shortened) note_recalled(a.s.notes);
    return made;
}

} // namespace inquiring

result<void> inquire(state_ref const& s,
                     std::vector<inquiry>& inquiries,
                     tools_ref const& tools,
                     gpu_ref gpu,
                     model_ref model,
                     inquiry_prompts_ref prompts,
                     std::span<tuned_kernel* const> shown) {
    using namespace inquiring;
    if (tools.options.evidence == asking_for::nothing) return {};
    bool first = true;
    for (tuned_kernel const* const k : shown) {
        if (!may_ask(inquiries, identity_of(*k))) continue;
        auto const offer = gpu.offered_evidence(); // what is offered may shrink
        if (offer.empty()) return {};
        auto end = tools.must_end_search(s);
        result<inquiry> made = end ? result<inquiry>(*std::move(end)) : [&] {
            tools.report_progress(s, activity::asking_model);
            return inquire_about({s, inquiries, tools, model, prompts, offer, *k}, gpu);
        }();
        if (!made) {
            // What was asked before is kept; the request that follows says what is wrong.
            if (first || made.error().kind == condition::cancelled) return made.error();
            return {};
        }
        inquiries.push_back(*std::move(made));
        first = false;
    }
    return {};
}

} // namespace detail
} // namespace lkt
