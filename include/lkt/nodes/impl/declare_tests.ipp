// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/declare_tests.hpp>

#include <lkt/kernel/failure.hpp>
#include <lkt/nodes/detail/within_context.hpp>
#include <lkt/verify/all_of.hpp>
#include <lkt/verify/declared_tests.hpp>
#include <lkt/verify/oracle.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <variant>

namespace lkt::detail {

bool is_for_the_model(error const& e) {
    return e.kind == condition::rejected ||
           (e.kind == condition::exhausted && e.code.starts_with("lkt.verify."));
}

/// No sizes can be found for a kernel that does not compile.
result<void> check_original(problem const& task, tools_ref const& tools, gpu_ref gpu) {
    auto compiled = gpu.compile({task.reference,
                                 task.signature,
                                 default_configuration(task.parameters),
                                 task.compiler_options,
                                 false,
                                 tools.options.compile_limit},
                                tools.context);
    if (!compiled) return compiled.error();
    auto const* why = std::get_if<failure>(&*compiled);
    if (!why) return {};
    return error{condition::rejected,
                 "lkt.declaration.original",
                 "the original kernel " + task.signature.name +
                     " does not compile: " + describe(*why),
                 "Correct it; no model was asked."};
}

result<test_suite>
original_on(problem const& task, tools_ref const& tools, gpu_ref gpu, tests_ref generator) {
    auto tests = generator.generate(task, tools.context);
    if (!tests) return tests.error();
    // Whatever the generator makes of a problem: what was declared has to run.
    declared_tests const declared{.seed = tools.options.seed, .menu = false};
    auto more = declared.generate(task, tools.context);
    if (!more) return more.error();
    add_tests(task, std::move(*more), *tests);
    oracle_options how;
    how.seed = tools.options.seed;
    how.compile_limit = tools.options.compile_limit;
    if (tools.options.launch_limit.count() > 0) how.launch_limit = tools.options.launch_limit;
    return lkt::prepare_suite(gpu, task, std::move(*tests), tools.context, how);
}

/// A reply as text. Errors: it is not a whole one.
result<std::string> whole_text(chat_reply const& reply) {
    auto const unusable = [](std::string why) {
        return error{condition::rejected, "lkt.declaration.reply", std::move(why), {}};
    };
    switch (reply.finish) {
    case finish::length:
        return unusable("the reply was cut off because it became too long; answer more briefly");
    case finish::filtered:
        return unusable("the server held the reply back (content filter)");
    case finish::stop:
    case finish::unknown:
        break;
    }
    return reply.text;
}

/// The conversation, and what it works with.
struct declaring {
    declaration_log& log;
    tools_ref const& tools;
    gpu_ref gpu;
    model_ref model;
    tests_ref generator;
    declaration_options const& options;
    test_prompts_ref prompts;
    conversation turns;
    std::size_t question = 0; ///< which of the turns asks for what is asked for now
    seconds testing{};        ///< of the reply at hand

    /// Without a question that is settled, and of the answers to this one with the last alone.
    [[nodiscard]] conversation recalled_turns(recall how) const {
        if (how == recall::all) return turns;
        conversation told{turns.front(), turns[question]};
        auto const answers = (turns.size() - question) / 2;
        if (answers == 0) return told;
        told.insert(told.end(), turns.end() - 2, turns.end());
        told[2].text = shortened(told[2].text, recalled_reply);
        if (answers > 1) told[3].text += "\n\n(" + left_out_words(answers - 1, "answer") + ".)";
        return told;
    }

    result<chat_reply> ask(declaration_attempt& record) {
        if (auto end = tools.must_end(log.usage)) return *end;
        tuning_state progress; // what is reported reads the account alone
        progress.usage = log.usage;
        tools.report_progress(state_ref(progress), activity::asking_model);
        auto const start = std::chrono::steady_clock::now();
        auto reply = ask_within_context(
                         tools,
                         [&](recall how) { return recalled_turns(how); },
                         [&](conversation messages) {
                             chat_request request;
                             request.messages = std::move(messages);
                             return model.complete(request, tools.context);
                         })
                         .answer;
        if (!reply) return reply.error();
        record.thinking = std::chrono::steady_clock::now() - start;
        record.model = reply->model;
        record.reply = reply->text;
        record.usage = reply->usage;
        count_usage(log.usage, *reply, record.thinking);
        // Servers refuse an empty turn.
        turns.push_back({role::assistant, reply->text.empty() ? "(no text)" : reply->text});
        return reply;
    }

    result<test_suite> run_original(problem const& task) {
        auto const start = std::chrono::steady_clock::now();
        auto suite = original_on(task, tools, gpu, generator);
        testing = std::chrono::steady_clock::now() - start;
        return suite;
    }

    /// Asks until a reply passes `read` and the original runs on it.
    template <class Read>
    result<declared_problem> settle(declared_part part, std::string words, Read const& read) {
        question = turns.size();
        turns.push_back({role::user, std::move(words)});
        error last;
        for (int left = attempts_at(part); left > 0; --left) {
            declaration_attempt record;
            record.part = part;
            auto reply = ask(record);
            if (!reply) return reply.error();
            testing = {};
            auto made = [&]() -> result<declared_problem> {
                auto text = whole_text(*reply);
                if (!text) return text.error();
                auto task = read(*text);
                if (!task) return task.error();
                auto suite = run_original(*task);
                if (!suite) return suite.error();
                return declared_problem{std::move(*task), std::move(*suite)};
            }();
            record.testing = testing;
            if (!made) record.why = made.error();
            log.attempts.push_back(std::move(record));
            if (made || !is_for_the_model(made.error())) return made;
            last = made.error();
            turns.push_back({role::user, prompts.again(prompts.prompts, last)});
        }
        return gave_up(part, last);
    }

    [[nodiscard]] int attempts_at(declared_part part) const {
        return part == declared_part::tests ? options.test_attempts : options.attempts;
    }
    [[nodiscard]] error gave_up(declared_part part, error const& last) const {
        bool const tests = part == declared_part::tests;
        int const attempts = attempts_at(part);
        return {condition::rejected,
                "lkt.declaration.attempts",
                std::string("the model ") +
                    (tests ? "declared no usable tests" : "gave no usable description") + " in " +
                    std::to_string(attempts) + (attempts == 1 ? " reply" : " replies") +
                    "; the last one: " + last.message,
                tests ? "leave the tests to lkt (declaration_options::tests), or write some into "
                        "lkt.tests of a problem file"
                      : "give sizes and arguments yourself, or pass a problem file"};
    }
};

result<declared_problem> declare_tests(problem_draft draft,
                                       declaration_log& log,
                                       tools_ref const& tools,
                                       gpu_ref gpu,
                                       model_ref model,
                                       tests_ref generator,
                                       declaration_options const& options,
                                       test_prompts_ref prompts) {
    declared_problem made{draft.known, {}};
    bool const ask_tests = options.tests && draft.known.tests.empty();
    if (draft.complete() && !ask_tests) return made;
    if (auto ok = check_original(draft.known, tools, gpu); !ok) return ok.error();
    declaring talk{log, tools, gpu, model, generator, options, prompts, {}};
    talk.turns.push_back({role::system, prompts.system(prompts.prompts, draft)});
    if (!draft.complete()) {
        auto described = talk.settle(
            declared_part::description,
            prompts.describe(prompts.prompts, draft),
            [&](std::string const& text) { return read_problem_declaration(text, draft); });
        if (!described || !ask_tests) return described;
        made = std::move(*described);
    }
    return talk.settle(declared_part::tests,
                       prompts.tests(prompts.prompts, made.task),
                       [&](std::string const& text) -> result<problem> {
                           auto tests = read_test_declaration(text, made.task, options.max_tests);
                           if (!tests) return tests.error();
                           problem task = made.task;
                           task.tests = std::move(*tests);
                           return task;
                       });
}

} // namespace lkt::detail
