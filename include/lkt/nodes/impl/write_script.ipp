// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/write_script.hpp>

#include <lkt/llm/ask.hpp>
#include <lkt/nodes/detail/prompt_text.hpp>
#include <lkt/nodes/detail/quote.hpp>
#include <lkt/nodes/words.hpp>
#include <lkt/verify/declared_tests.hpp>
#include <lkt/verify/oracle.hpp>
#include <lkt/verify/problem_oracle.hpp>
#include <lkt/verify/sound_tests.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

namespace lkt {

namespace script_text {

constexpr prompt<script_words> task =
    R"text(Write a Python function that makes inputs for this GPU kernel. The kernel and rewrites of it run on them, and their results are compared: choose inputs on which a rewrite that is wrong gives another result. They are added to tests with random, equal, large, small, sparse and cancelling values at these and at other sizes, so write what takes knowledge of what this kernel computes.

${kernel}

Its arguments
${arguments}

Sizes that the function is called for, once each
${sizes}

Conditions on the sizes
${constraints}

Tunable parameters of the kernel, and restrictions on them
${parameters}

Notes of the user:
${notes}

The function
${example}
- `sizes` is a dictionary with the extents above, `rng` a seeded numpy.random.Generator. A second call with the same arguments must make the same inputs, so take all random numbers from `rng`.
- It returns one test, a dictionary of NumPy arrays by the names of arguments, or a list of tests; in all, for all sizes, at most ${tests}.
- An array has the number of elements given above; its shape does not matter, but the lanes of a vector type come last. Values are converted to the argument's type. It is an error if that changes them, except for rounding of floating-point values to a narrower floating-point type.
- An input that a test leaves out gets usual values. Leave out outputs and values that follow from the sizes.
- All values must be allowed: a test with one that is not is refused, and so is one on which the kernel crashes, or gives other results when it runs again.
- Results must not depend on how sums and products are rounded: tests on which they do are dropped.
- Python and NumPy are there, nothing else. The script has no network, reads no other files, writes none and starts no programs; what it prints is not read. It may take ${seconds}, ${memory} of memory, and return ${arrays} of arrays.
)text";

} // namespace script_text

default_script_prompts::default_script_prompts() : text(script_text::task) {}

namespace detail {

struct script_reply {
    std::string script;

    using state_fields = fields<&script_reply::script>;
    static constexpr auto notes =
        lkt::notes(note<&script_reply::script>("the complete Python text, with its imports, which "
                                               "defines generate(sizes, rng)",
                                               length{1, 65536}));
};

/// As NumPy calls it, or what takes its place.
std::string dtype_words(value_type type) {
    std::string text{to_string(type.scalar)};
    if (type.scalar == scalar_type::bfloat16 || is_float8(type.scalar) ||
        type.scalar == scalar_type::float4_e2m1)
        text = "floating-point numbers, which are rounded to " + text;
    else if (is_half_byte(type.scalar))
        text = "int8 with values of " + text;
    return type.lanes == 1 ? text : text + ", each of " + std::to_string(type.lanes) + " lanes";
}

std::string exact_number(double value) {
    char shown[32];
    auto const end = std::to_chars(std::begin(shown), std::end(shown), value).ptr;
    return {std::begin(shown), end};
}

/// The values that a script may give an input.
std::string allowed_words(problem const& task, std::size_t k, problem_size const& size) {
    auto const fair =
        fair_values(task.signature.arguments[k], task.arguments[k], scope_of(size, {}));
    if (!fair) return "has a structure that the kernel may rely on; leave it out";
    bool const low = std::isfinite(fair->min), high = std::isfinite(fair->max);
    if (!low && !high) return "any finite value";
    return "values " + (low ? "from " + exact_number(fair->min) + " " : std::string()) +
           (high ? "to " + exact_number(fair->max) : "upwards");
}

/// What is the same for all sizes once, else for each.
std::string allowed_at(problem const& task, std::size_t k, std::vector<problem_size> const& sizes) {
    std::string const first = allowed_words(task, k, sizes.front());
    std::string all;
    bool same = true;
    for (problem_size const& size : sizes) {
        std::string const words = allowed_words(task, k, size);
        same = same && words == first;
        all += (all.empty() ? "at " : "; at ") + size_words(size) + " " + words;
    }
    return same ? first : all;
}

std::string
input_words(problem const& task, std::size_t k, std::vector<problem_size> const& sizes) {
    argument const& a = task.signature.arguments[k];
    argument_spec const& spec = task.arguments[k];
    std::string text = ticked(a.name) + ": ";
    if (!a.pointer)
        return text + dtype_words(a.type) +
               (spec.random ? ", a number that a test may give"
                            : ", which follows from the size; leave it out");
    if (spec.scratch) return text + "scratch; leave it out";
    if (task.flow(k) == direction::out) return text + "only written; leave it out";
    return text + ticked(spec.count.text()) + " elements, " + dtype_words(a.type) + "; " +
           allowed_at(task, k, sizes);
}

std::string example_script(problem const& task, std::vector<problem_size> const& sizes) {
    std::string extent = "1", inputs;
    if (!sizes.front().empty()) extent = "sizes[\"" + sizes.front().front().first + "\"]";
    for (std::size_t k = 0; k < task.signature.arguments.size() && inputs.empty(); ++k)
        if (task.signature.arguments[k].pointer && task.flow(k) != direction::out)
            inputs = task.signature.arguments[k].name;
    return block("import numpy as np\n\ndef generate(sizes, rng):\n    n = " + extent +
                     "\n    ...\n    return [{\"" + (inputs.empty() ? "x" : inputs) +
                     "\": first}, {\"" + (inputs.empty() ? "x" : inputs) + "\": second}]",
                 "python");
}

/// A reply may put the text into a fence even where it is a member of an object.
std::string without_fence(std::string text) {
    auto const begin = text.find("```");
    if (begin == std::string::npos) return text;
    auto const line = text.find('\n', begin);
    auto const end = text.rfind("\n```");
    return line != std::string::npos && end != std::string::npos && line < end
               ? text.substr(line + 1, end - line)
               : text;
}

/// Tries scripts of a model.
struct script_trial {
    problem const& task;
    tools_ref const& tools;
    gpu_ref gpu;
    tests_ref generator;          ///< of the tests to which those of a script are added
    script_tests script;          ///< without a text: limits and seed
    std::optional<error> ended{}; ///< what is no fault of a script's

    /// One that fills nothing: the first test of a suite is never dropped, so it stands there.
    [[nodiscard]] result<std::vector<test_case>> plain() const {
        script_tests empty = script;
        empty.script.text = "def generate(sizes, rng): return {}\n";
        return empty.generate(task, tools.context);
    }

    /// Errors: what is wrong with it; for whom, `is_for_the_model` says.
    [[nodiscard]] result<void> run(std::string const& text, test_case const& first) {
        script_tests tried = script;
        tried.script.text = text;
        auto tests = tried.generate(task, tools.context);
        if (!tests) return tests.error();
        auto const again = tried.generate(task, tools.context);
        if (!again) return again.error();
        bool same = again->size() == tests->size();
        for (std::size_t k = 0; same && k < tests->size(); ++k)
            same = (*again)[k].arguments == (*tests)[k].arguments;
        if (!same)
            return error{condition::rejected,
                         "lkt.verify.script",
                         "a second call of `generate` with the same arguments makes other inputs; "
                         "take all random numbers from `rng`",
                         {}};
        return on_original(*std::move(tests), first);
    }

private:
    [[nodiscard]] oracle_options oracle() const {
        oracle_options how;
        how.seed = tools.options.seed;
        how.compile_limit = tools.options.compile_limit;
        if (tools.options.launch_limit.count() > 0) how.launch_limit = tools.options.launch_limit;
        return how;
    }

    /// An output that the original reads, or does not write in full, is treated so on all tests,
    /// and launches get fewer surprises in it. Only lkt's own tests may lead to that.
    [[nodiscard]] result<void> keeps_outputs(test_suite const& suite) {
        auto const flow = [&](std::size_t k) { return suite.directions[k] != task.flow(k); };
        std::optional<test_suite> own;
        for (std::size_t k = 0; k < suite.directions.size(); ++k) {
            if (!flow(k) || task.arguments[k].scratch) continue;
            if (!own) {
                auto made = original_on(task, tools, gpu, generator);
                if (!made) return *(ended = made.error());
                own = *std::move(made);
            }
            if (own->directions[k] == suite.directions[k]) continue;
            return error{condition::rejected,
                         "lkt.verify.script_tests",
                         "on these inputs the kernel does not write all elements of the output " +
                             ticked(task.signature.arguments[k].name) +
                             ", or writes other ones in each launch; give inputs on which it does",
                         {}};
        }
        return {};
    }

    [[nodiscard]] result<void> on_original(std::vector<test_case> tests, test_case const& first) {
        oracle_options const how = oracle();
        // Now the author can be told what would be dropped without a word later.
        for (test_case& test : tests) test.origin = test_origin::asked;
        tests.insert(tests.begin(), first);
        auto suite = task.oracle ? suite_of_problem_oracle(task, tests, tools.context, how)
                                 : lkt::prepare_suite(gpu, task, tests, tools.context, how);
        if (!suite) return suite.error();
        if (task.oracle) return {};
        if (auto ok = keeps_outputs(*suite); !ok) return ok;
        for (prepared_test& test : suite->tests) test.test.origin = test_origin::menu;
        soundness_options wanted;
        wanted.seed = how.seed;
        wanted.compile_limit = how.compile_limit;
        wanted.launch_limit = how.launch_limit;
        if (auto ok = detail::fit_to_original(gpu, task, *suite, tools.context, wanted); !ok)
            return ok.error();
        if (suite->tests.size() > 1) return {};
        return error{condition::rejected,
                     "lkt.verify.script_tests",
                     "none of the tests can tell a right kernel from a wrong one: on each, the "
                     "outputs of the original are all the same number, or rounding decides them",
                     {}};
    }
};

result<script_tests> write_script(problem const& task,
                                  declaration_log& log,
                                  tools_ref const& tools,
                                  gpu_ref gpu,
                                  model_ref model,
                                  tests_ref generator,
                                  script_options const& options,
                                  default_script_prompts const& prompts) {
    script_trial trial{task, tools, gpu, generator, script_generator(task, {}, options)};
    if (auto end = tools.must_end(log.usage)) return *end;
    auto const plain = trial.plain();
    if (!plain) return plain.error();

    auto const check = [&](script_reply const& answer) -> std::vector<std::string> {
        auto const ok = trial.run(without_fence(answer.script), plain->front());
        if (!ok && !is_for_the_model(ok.error())) trial.ended = ok.error();
        if (ok || trial.ended) return {}; // nobody is asked again
        return {shortened(ok.error().message, 3000)};
    };
    tuning_state progress; // what is reported reads the account alone
    progress.usage = log.usage;
    tools.report_progress(state_ref(progress), activity::asking_model);
    ask_log said;
    ask_options how;
    how.mode = tools.answers;
    how.memory = tools.answer_memory;
    how.attempts = options.attempts;
    how.log = &said;
    auto const start = std::chrono::steady_clock::now();
    auto const answer =
        lkt::ask<script_reply>(model,
                               conversation{{role::user, prompts.task(task, trial.script)}},
                               how,
                               tools.context,
                               check);
    seconds spent = std::chrono::steady_clock::now() - start;
    for (ask_exchange const& e : said.exchanges) {
        if (!e.reply) continue;
        declaration_attempt record;
        record.part = declared_part::script;
        record.model = e.reply->model;
        record.reply = e.reply->text;
        record.usage = e.reply->usage;
        record.thinking = std::exchange(spent, seconds{});
        if (!e.faults.empty()) {
            std::string all;
            for (std::string const& fault : e.faults) all += (all.empty() ? "" : "; ") + fault;
            record.why = error{condition::rejected, "lkt.declaration.reply", std::move(all), {}};
        }
        count_usage(log.usage, *e.reply, record.thinking);
        log.attempts.push_back(std::move(record));
    }
    if (trial.ended) return *trial.ended;
    if (!answer && !answer.error().code.starts_with("lkt.ask.")) return answer.error();
    if (!answer)
        return error{condition::rejected,
                     "lkt.declaration.attempts",
                     "the model wrote no usable script in " + std::to_string(options.attempts) +
                         (options.attempts == 1 ? " reply" : " replies") +
                         "; the last one: " + answer.error().message,
                     "leave the tests to lkt, or write a script yourself"};
    return script_generator(task, without_fence(answer->value.script), options);
}

} // namespace detail

script_tests
script_generator(problem const& task, std::string text, script_options const& options) {
    script_tests made;
    made.script.text = std::move(text);
    made.script.function = "generate";
    made.script.origin = "the model's script";
    made.script.of_model = true;
    made.script.time_limit = options.time_limit;
    made.script.memory_limit = options.memory_limit;
    made.script.threads = 1;
    made.seed = options.seed;
    made.max_tests = options.max_tests;
    made.max_elements = options.max_elements;
    // Four tests of a float64 for each element, where the problem is large at all its sizes.
    std::uint64_t elements = 0;
    auto const scope = scope_of(made.sizes(task).front(), {});
    for (argument_spec const& spec : task.arguments)
        if (auto const n = spec.count.evaluate_integer(scope); n && *n > 0)
            elements += static_cast<std::uint64_t>(*n);
    made.script.array_limit = std::max(options.array_limit, 32 * elements);
    return made;
}

std::string default_script_prompts::task(problem const& task, script_tests const& script) const {
    auto const sizes = script.sizes(task);
    script_words words;
    words.kernel = detail::block(task.reference.text, detail::info_string(task));
    for (std::size_t k = 0; k < task.signature.arguments.size(); ++k)
        words.arguments.push_back(detail::input_words(task, k, sizes));
    for (problem_size const& size : sizes) words.sizes.push_back(size_words(size));
    for (expression const& e : task.size_constraints)
        words.constraints.push_back(detail::ticked(e.text()));
    for (tunable_parameter const& p : task.parameters)
        words.parameters.push_back(detail::ticked(p.name) + ": " + values_words(p.values));
    for (expression const& e : task.restrictions)
        words.parameters.push_back("restriction: " + detail::ticked(e.text()));
    if (!task.notes.empty()) words.notes = detail::block(detail::shortened(task.notes, 4000));
    words.example = detail::example_script(task, sizes);
    words.tests = std::to_string(script.max_tests) + " tests";
    words.seconds = to_string(seconds(script.script.time_limit));
    words.memory = to_string(bytes{script.script.memory_limit});
    words.arrays = to_string(bytes{script.script.array_limit});
    return text.render(words);
}

} // namespace lkt
