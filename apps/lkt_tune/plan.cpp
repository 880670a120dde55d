// SPDX-License-Identifier: BSL-1.0
#include "plan.hpp"

#include "call_bounds.hpp"
#include "declare.hpp"
#include "description.hpp"
#include "limits.hpp"

#include <lkt/core/plain_text.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/llm/estimate_tokens.hpp>
#include <lkt/nodes/declare_tests.hpp>
#include <lkt/nodes/default_steps.hpp>
#include <lkt/nodes/model_usage.hpp>
#include <lkt/nodes/prompts.hpp>
#include <lkt/nodes/write_script.hpp>

#include <algorithm>
#include <filesystem>

namespace lkt_tune {
namespace {

/// A request grows by the replies before it; a reply holds a kernel and its reasons.
struct token_estimate {
    std::int64_t first = 0; ///< of the first request
    std::int64_t input = 0, output = 0;
};

/// Between recorded replies of half and of twice as many.
constexpr std::int64_t words_of_reply = 700, kernels_in_reply = 4, tokens_of_answer = 120,
                       tokens_of_feedback = 200;

token_estimate estimate(planned_run const& run, call_bound const& most, std::int64_t attempts) {
    auto const& task = run.draft.known;
    lkt::tuned_kernel original;
    original.kernel = {task.reference, task.parameters, task.restrictions, task.launch, {}};
    original.config = lkt::default_configuration(task.parameters);
    lkt::measurement const unknown{{lkt::seconds(0.001)}};
    original.time = unknown;
    lkt::brief const b{task, original, unknown, run.device};
    lkt::default_prompts const prompts;
    token_estimate made;
    made.first = lkt::estimate_tokens(prompts.system(b)) + lkt::estimate_tokens(prompts.task(b));
    auto const reply =
        words_of_reply + kernels_in_reply * lkt::estimate_tokens(task.reference.text);
    auto const grown = (attempts - 1) * (reply + tokens_of_feedback) / 2;
    made.input = most.kernels * (made.first + grown) + most.answers * made.first;
    made.output = most.kernels * reply + most.answers * tokens_of_answer;
    return made;
}

std::string cost_text(planned_run const& run, token_estimate const& tokens) {
    double most = 0;
    bool listed = false;
    for (std::string const& source : run.models.sources) {
        auto const price = run.prices.look_up(source);
        if (!price) return "unknown: no price of " + source + " (--prices FILE names it)";
        lkt::token_usage usage;
        usage.input = tokens.input;
        usage.output = tokens.output;
        most = std::max(most, lkt::cost(price->price, usage));
        listed = listed || price->listed;
    }
    if (most == 0) return "nothing";
    return "about " + dollars(most) +
           (run.models.sources.size() > 1 ? ", by the dearest model" : "") +
           ", if every call is made" +
           (listed ? " (prices of " + std::string(lkt::price_table::month()) + ", " +
                         std::string(lkt::price_table::source()) + ")"
                   : "") +
           "\nreasoning that a model does before it answers comes on top; --max-cost USD limits it";
}

std::string calls_text(std::int64_t most, std::int64_t first, options const& o) {
    std::string text = "at most " + counted(static_cast<std::uint64_t>(most), "call", "calls") +
                       ", if no answer is cut off";
    if (o.max_calls && *o.max_calls < most)
        text = "at most " + counted(static_cast<std::uint64_t>(*o.max_calls), "call", "calls") +
               " (--max-calls; else " + std::to_string(most) + ")";
    if (first > 0)
        text +=
            "; after at most " + std::to_string(first) + " it decides whether more are worth it";
    return text;
}

std::string model_rows(planned_run const& run, options const& o, call_bound most, int attempts) {
    if (o.model.empty()) return row("model", "none is asked");
    bool const apart =
        o.answers == lkt::answer_mode::separate_request || o.answers == lkt::answer_mode::hybrid;
    if (run.answers && !o.no_evidence) most.answers += most.inquiries;
    if (apart) most.answers *= 2;
    std::string text = row("model", lkt::joined(run.models.sources, "\n"));
    if (!run.models.missing.empty()) text += row("missing", lkt::joined(run.models.missing, "\n"));
    bool const asks_tests = asks_for_tests(o, run.draft), asks_script = !o.ask_script.empty();
    if (!run.draft.complete() || asks_tests || asks_script) {
        lkt::declaration_options const usual;
        std::int64_t const questions = (run.draft.complete() ? 0 : usual.attempts) +
                                       (asks_tests ? usual.test_attempts : 0) +
                                       (asks_script ? lkt::script_options{}.attempts : 0);
        text += row("questions",
                    "about the problem, before anything is tuned: at most " +
                        std::to_string(questions) + " calls");
        if (!run.draft.complete())
            return text + row("calls",
                              "more than that depend on the answers: --declare writes "
                              "them down as a problem file");
    }
    auto const all = most.kernels + most.answers;
    text += row("calls", calls_text(all, most.first, o));
    if (all == 0) return text;
    auto const limit = o.max_calls ? std::min(*o.max_calls, all) : all;
    if (limit < all) { // in the same proportion
        most.kernels = most.kernels * limit / all;
        most.answers = limit - most.kernels;
    }
    auto const tokens = estimate(run, most, attempts);
    text +=
        row("tokens",
            "about " + std::to_string(tokens.first) +
                " in the first request; if every call is "
                "made, about " +
                std::to_string(tokens.input) + " in and " + std::to_string(tokens.output) + " out");
    return text + row("cost", cost_text(run, tokens));
}

std::string limits_text(options const& o) {
    std::vector<std::string> all;
    if (o.max_time) all.push_back("--max-time " + o.max_time_text);
    if (o.budget) all.push_back(budget_text(*o.budget));
    if (o.max_calls) all.push_back("--max-calls " + std::to_string(*o.max_calls));
    if (o.max_cost) all.push_back("--max-cost " + lkt::significant(*o.max_cost));
    return all.empty() ? "none" : lkt::joined(all, ", ");
}

std::string files_text(options const& o) {
    std::vector<std::string> all;
    auto const add = [&](std::string const& file, char const* what, char const* again) {
        if (file.empty()) return;
        std::error_code none;
        bool const there = file != "-" && std::filesystem::exists(file, none);
        all.push_back((file == "-" ? "standard output" : file) + ": " + what +
                      (there ? std::string(", ") + again : std::string()));
    };
    add(o.declare_file, "the problem", "which is there and is replaced");
    add(o.ask_script, "the model's script", "which is there and is replaced");
    if (o.declare_file.empty()) {
        add(o.report_file.empty() ? "-" : o.report_file,
            "the report",
            "which is there and is replaced");
        add(o.json_file, "the result as JSON", "which is there and is replaced");
        add(o.output_file, "the best kernel", "which is there and is replaced");
        add(o.trace_file, "the trace", "which is there and is replaced");
    }
    add(o.journal_folder, "the journal", "which is there: a saved run is not written over");
    add(o.record_file, "the conversation", "which is there and is extended");
    add(o.reply_cache, "replies", "which is there and is used");
    add(o.store,
        "kernels",
        o.ignore_stored ? "which is there and is extended"
                        : "which is there: a kernel in it for this problem and device is verified "
                          "again, and no model is asked");
    if (o.model.starts_with("mailbox:"))
        add(o.model.substr(8), "questions to answer", "which is there");
    return lkt::joined(all, "\n");
}

} // namespace

lkt::result<std::string> plan_text(planned_run const& run, options const& o) {
    auto const& task = run.draft.known;
    std::string text = row("kernel", task.signature.name + " (" + task.reference.origin + ")");
    text += row("device",
                run.device.name + ", back end " + run.device.backend +
                    (run.backend_choice.empty() ? "" : "\n" + run.backend_choice));
    text += row("sizes", sizes_text(task));
    text += row("parameters", parameters_text(task, o));
    text += row("tests", tests_text(task, run.tests));
    text += row("expected", expected_text(task, o));
    text += row("strategy", o.strategy);
    std::string wrong;
    auto const known = lkt::with_entry(lkt::catalogue, o.strategy, [&](auto const& entry) {
        auto strategy = entry.make();
        set_numbers(strategy, o.numbers);
        int attempts = 1;
        lkt::for_each_number(strategy, [&](lkt::number const& n, int value) {
            if (n.name == "attempts") attempts = value;
        });
        auto const steps = run.steps ? run.steps->size() : lkt::default_steps().size();
        text += model_rows(run, o, most_calls(strategy, steps), attempts);
    });
    if (!known) return known.error();
    text += row("limits", limits_text(o));
    text += row("writes", files_text(o));
    return lkt::plain_text(text) + "\nNothing was asked, measured or written." +
           (o.model.empty() ? "" : " The model chooses other parameters for its own kernels.") +
           "\n";
}

} // namespace lkt_tune
