// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/fix_parameters.hpp>

#include <lkt/kernel/failure.hpp>
#include <lkt/lang/expression/parse_parameter.hpp>
#include <lkt/llm/ask.hpp>
#include <lkt/llm/extract_code.hpp>
#include <lkt/llm/extract_json.hpp>
#include <lkt/nodes/detail/prompt_text.hpp>
#include <lkt/nodes/reply.hpp>
#include <lkt/nodes/words.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

namespace planning_text {

constexpr prompt<fix_parameters_words> fix_parameters =
    R"text(The tunable parameters of this kernel need a correction. A tuner defines them as macros, tries every combination of their values and keeps the fastest.

Kernel
${kernel}

Its parameters
${parameters}

What is wrong
${why}

Give the complete kernel, and all of its tunable parameters with their values, the default first. Change nothing else about the kernel.
- Each parameter occurs in the kernel, or in its launch, and is not defined or declared in it: no `#define`, no `constexpr`, no variable and no template parameter of that name.
- One thing has one name, spelt the same everywhere.
- A parameter has one to ten values: those that could be the fastest.
)text";

constexpr prompt<fix_restrictions_words> fix_restrictions =
    R"text(The restrictions of this kernel's tunable parameters need a correction. A tuner defines the parameters as macros, tries every combination of their values that meets all restrictions, and keeps the fastest.

Kernel
${kernel}

Its parameters; the first value of each is its default
${parameters}

Launch
${launch}

Problem sizes
${sizes}

Its restrictions
${restrictions}

What is wrong
${why}

Give all restrictions that the kernel needs to be right, or none.
- A restriction is an expression that is true for combinations that work, such as `TILE % ROWS == 0`: + - * / // % **, comparisons, and, or, not, in, min, max, ceil_div over parameters and problem sizes.
- The defaults must meet all of them.
- Leave out what the lists of values imply already. What exceeds the device is found out by trying.
)text";

} // namespace planning_text

default_fix_prompts::default_fix_prompts()
    : text(planning_text::fix_parameters), restrictions(planning_text::fix_restrictions) {}

namespace detail {

struct parameter_answer {
    std::string name;
    std::vector<std::string> values;

    using state_fields = fields<&parameter_answer::name, &parameter_answer::values>;
    static constexpr auto notes = lkt::notes(
        note<&parameter_answer::values>("as text: 16, 0.5, true or a word", items{1, 64}));
};

struct fixed_parameters_answer {
    std::string kernel;
    std::vector<parameter_answer> parameters;

    using state_fields =
        fields<&fixed_parameters_answer::kernel, &fixed_parameters_answer::parameters>;
    static constexpr auto notes =
        lkt::notes(note<&fixed_parameters_answer::kernel>("the complete text"));
};

struct fixed_restrictions_answer {
    std::vector<std::string> restrictions;

    using state_fields = fields<&fixed_restrictions_answer::restrictions>;
    static constexpr auto notes =
        lkt::notes(note<&fixed_restrictions_answer::restrictions>("expressions", items{0, 64}));
};

/// A field of a reply's block as the reply gave it.
std::string given_in(std::string const& reply, char const* field) {
    auto const json = extract_json(reply);
    auto const* all = json ? json->if_object() : nullptr;
    auto const* given = all ? all->if_contains(field) : nullptr;
    return given ? block(shortened(boost::json::serialize(*given), 4000), "json")
                 : "none were given";
}

/// What is read of an answer, and what became of it.
std::variant<reply_reading, std::string>
read_fix(fixed_parameters_answer const& answer, chat_reply const& reply, state_ref const& s) {
    corrected_kernel corrected{answer.kernel, {}};
    // Some put the text into a fence even here.
    auto const fenced_code = extract_code(answer.kernel, s.task.reference.language);
    if (auto const* code = std::get_if<std::string>(&fenced_code);
        code && answer.kernel.find("```") != std::string::npos)
        corrected.text = *code;
    for (parameter_answer const& p : answer.parameters) {
        std::string line = p.name + "=";
        for (std::string const& v : p.values) line += (line.back() == '=' ? "" : ",") + v;
        auto read = parse_parameter(line);
        if (!read) return read.error().message;
        corrected.parameters.push_back(*std::move(read));
    }
    auto reading = read_corrected(reply, std::move(corrected), s.task, s.best.kernel);
    if (auto const* why = std::get_if<failure>(&reading.what)) return describe(*why);
    return reading;
}

/// A kernel with restrictions that a model answered.
struct restricting {
    problem const& task;
    candidate kernel;

    /// Takes them over, or says what is wrong with them.
    std::vector<std::string> take(std::vector<std::string> const& texts) {
        std::vector<std::string> faults;
        kernel.restrictions.clear();
        for (std::string const& text : texts) {
            auto read = expression::parse(text);
            if (!read)
                faults.push_back(ticked(shortened(text, 200)) + ": " + read.error().message);
            else
                kernel.restrictions.push_back(*std::move(read));
        }
        if (faults.empty())
            if (auto const why = restrictions_fault(kernel, task)) faults.push_back(describe(*why));
        if (!faults.empty()) return faults;
        auto const usual = default_configuration(kernel.parameters);
        for (expression const& r : kernel.restrictions) {
            auto const holds = r.evaluate_condition(scope_of(task.size, usual));
            if (holds && !*holds)
                faults.push_back(ticked(r.text()) + " excludes the defaults, " +
                                 configuration_words(usual));
        }
        return faults;
    }
};

result<parameters_fixed> fix_parameters(state_ref const& s,
                                        tools_ref const& tools,
                                        model_ref model,
                                        default_fix_prompts const& prompts) {
    if (s.attempts.empty() || s.history.empty()) return parameters_fixed::no;
    rejected_attempt const& last = s.attempts.back();
    auto const* said = std::get_if<failure>(&last.why);
    if (!said || s.history.back().reply != last.reply) return parameters_fixed::no;
    chat_reply reply;
    reply.text = last.reply;
    auto const reading = read_reply(reply, s.task, s.best.kernel);
    auto const* why = std::get_if<failure>(&reading.what);
    bool const restrictions = reading.unrestricted.has_value();
    // The reply fell by something else: it was cut off, say.
    if (!(reading.unsettled || restrictions) || !why || describe(*why) != describe(*said))
        return parameters_fixed::no;
    if (auto end = tools.must_end(s.usage)) return *end;
    auto const code = extract_code(last.reply, s.task.reference.language);
    auto const* text = std::get_if<std::string>(&code);
    if (!text) return parameters_fixed::no;

    tools.report_progress(s, activity::asking_model);
    ask_log log;
    ask_options how;
    how.mode = tools.answers;
    how.attempts = restrictions ? answers_of_fix : 1;
    how.continuations = 0;
    how.reading.near_misses = true; // 16 for "16"
    how.memory = tools.answer_memory;
    how.log = &log;
    auto const start = std::chrono::steady_clock::now();
    auto const ask_parameters = [&]() -> result<std::variant<reply_reading, std::string>> {
        conversation const turns{{role::user,
                                  prompts.text.render({block(*text, info_string(s.task)),
                                                       given_in(last.reply, "parameters"),
                                                       describe(*why)})}};
        auto const answer = lkt::ask<fixed_parameters_answer>(model, turns, how, tools.context);
        if (!answer) return answer.error();
        return read_fix(answer->value, reply, s);
    };
    auto const ask_restrictions = [&]() -> result<std::variant<reply_reading, std::string>> {
        restricting r{s.task, *reading.unrestricted};
        fix_restrictions_words words;
        words.kernel = block(r.kernel.source.text, info_string(s.task));
        words.parameters = parameter_facts(r.kernel);
        words.launch = launch_facts(r.kernel.launch);
        for (auto const& [name, extent] : s.task.size)
            words.sizes.push_back(ticked(name) + ": " + std::to_string(extent));
        words.restrictions = given_in(last.reply, "restrictions");
        words.why = describe(*why);
        auto const answer = lkt::ask<fixed_restrictions_answer>(
            model,
            conversation{{role::user, prompts.restrictions.render(words)}},
            how,
            tools.context,
            [&](fixed_restrictions_answer const& a) { return r.take(a.restrictions); });
        if (!answer) return answer.error();
        reply_reading made;
        made.what = std::move(r.kernel);
        made.notes = reading.notes;
        return std::variant<reply_reading, std::string>(std::move(made));
    };
    auto answer = restrictions ? ask_restrictions() : ask_parameters();
    seconds spent = std::chrono::steady_clock::now() - start;
    bool const answered = !log.exchanges.empty() && log.exchanges.back().reply.has_value();
    if (!answer && !answered) return answer.error();
    auto read = answer ? std::move(*answer)
                       : std::variant<reply_reading, std::string>(answer.error().message);

    attempt_record& record = s.history.back();
    record.thinking += spent;
    for (ask_exchange const& e : log.exchanges) {
        if (!e.reply) continue;
        count_usage(s.usage, *e.reply, std::exchange(spent, seconds{}));
        record.usage.input += e.reply->usage.input;
        record.usage.output += e.reply->usage.output;
        record.usage.cached += e.reply->usage.cached;
        record.usage.reasoning += e.reply->usage.reasoning;
    }
    if (auto const* unusable_why = std::get_if<std::string>(&read)) {
        record.notes.push_back((restrictions ? "its restrictions" : "its parameters") +
                               std::string(" could not be corrected either: ") +
                               shortened(*unusable_why, 300));
        return parameters_fixed::no;
    }
    auto& good = std::get<reply_reading>(read);
    s.proposal = std::get<candidate>(std::move(good.what));
    record.notes = std::move(good.notes);
    record.notes.push_back((restrictions ? "its restrictions" : "its parameters") +
                           std::string(" were corrected by a second question: ") +
                           shortened(describe(*why), 300));
    record.proposal = s.proposal;
    record.outcome = not_evaluated{};
    s.attempts.pop_back();
    return parameters_fixed::yes;
}

} // namespace detail
} // namespace lkt
