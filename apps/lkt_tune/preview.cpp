// SPDX-License-Identifier: BSL-1.0
#include "preview.hpp"

#include "call_bounds.hpp"
#include "declare.hpp"
#include "limits.hpp"

#include <lkt/core/plain_text.hpp>
#include <lkt/kernel/roofline.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/llm/estimate_tokens.hpp>
#include <lkt/nodes/declare_tests.hpp>
#include <lkt/nodes/default_steps.hpp>
#include <lkt/nodes/model_usage.hpp>
#include <lkt/nodes/prompts.hpp>
#include <lkt/nodes/words.hpp>
#include <lkt/nodes/write_script.hpp>
#include <lkt/problems/detail/fill_json.hpp>
#include <lkt/search/space.hpp>
#include <lkt/verify/generated_sizes.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <type_traits>
#include <variant>

namespace lkt_tune {
namespace {

constexpr std::size_t labels = 12;

/// A label, and lines behind it.
std::string row(std::string label, std::string_view text) {
    label.resize(std::max(label.size() + 1, labels), ' ');
    for (char const c : text) {
        label += c;
        if (c == '\n') label.append(labels, ' ');
    }
    return label + '\n';
}

std::string joined(std::vector<std::string> const& lines, char const* separator = "\n") {
    std::string text;
    for (std::string const& line : lines) text += (text.empty() ? "" : separator) + line;
    return text;
}

std::string counted(std::uint64_t n, std::string_view one, std::string_view many) {
    return std::to_string(n) + " " + std::string(n == 1 ? one : many);
}

bool is_integer(lkt::value_type t) {
    return !lkt::is_floating(t.scalar) && t.scalar != lkt::scalar_type::boolean;
}

bool is_open(lkt::problem_draft const& draft, std::size_t k) {
    return std::find(draft.open.begin(), draft.open.end(), k) != draft.open.end();
}

/// As a user writes it: `uniform(-1,1)`.
std::string fill_text(lkt::distribution const& fill) {
    return std::visit(
        []<class Fill>(Fill const& f) -> std::string {
            if constexpr (std::is_same_v<Fill, lkt::indices>) {
                return "indices(" + f.below.text() + ")";
            } else {
                auto const words = lkt::detail::problems::fill_words(f);
                std::string values;
                for (auto const& [name, value] : words.second)
                    values += (values.empty() ? "" : ",") + lkt::significant(value.as_double());
                return words.first + (values.empty() ? "" : "(" + values + ")");
            }
        },
        fill);
}

std::string argument_line(lkt::problem_draft const& draft, std::size_t k) {
    auto const& task = draft.known;
    auto const& a = task.signature.arguments[k];
    auto const& spec = task.arguments[k];
    std::string text = a.name + ": " + lkt::to_string(a.type) + (a.pointer ? " buffer" : "");
    if (is_open(draft, k)) return text + ", of which nothing was said";
    auto const scope = lkt::scope_of(task.size, lkt::default_configuration(task.parameters));
    if (!a.pointer) {
        if (spec.random) return text + ", drawn from " + fill_text(spec.fill);
        auto const value = spec.value.evaluate(scope);
        text += " = " + spec.value.text();
        auto const number = value ? lkt::value_text(*value) : std::string();
        return text + (number.empty() || number == spec.value.text() ? "" : " = " + number);
    }
    auto const flow = task.flow(k);
    text += ", " + std::string(to_string(flow)) + (spec.flow ? "" : " (by the text)") + ", ";
    text += spec.count.text();
    if (auto const count = spec.count.evaluate_integer(scope); count && *count > 0)
        text +=
            (std::to_string(*count) == spec.count.text() ? "" : " = " + std::to_string(*count)) +
            " elements, " +
            lkt::to_string(lkt::bytes{static_cast<std::uint64_t>(*count) * a.type.bytes()});
    else
        text += " elements";
    if (spec.scratch) return text + ", scratch: never compared";
    if (flow != lkt::direction::out) text += ", filled by " + fill_text(spec.fill);
    auto const limits = [](std::optional<double> const& b) { return b && std::isfinite(*b); };
    if (flow != lkt::direction::out && (spec.min || spec.max)) {
        if (!limits(spec.min) && !limits(spec.max)) text += ", valid: any finite value";
        if (limits(spec.min)) text += ", valid from " + lkt::significant(*spec.min);
        if (limits(spec.max))
            text += (limits(spec.min) ? " to " : ", valid up to ") + lkt::significant(*spec.max);
    }
    if (flow != lkt::direction::in && spec.bound)
        text += ", tolerance " + lkt::significant(spec.bound->relative) + " relative, " +
                lkt::significant(spec.bound->absolute) + " absolute";
    return text;
}

/// The configurations of the kernel as it is, or what is wrong with them.
std::string configurations_text(lkt::problem const& task, options const& o) {
    auto const space = lkt::search_space::make(task.parameters, task.restrictions, task.size);
    if (!space) return "unusable: " + space.error().message;
    if (auto const none = space->unsatisfiable()) return "none: " + describe(lkt::failure{*none});
    std::string text = counted(space->count(), "configuration", "configurations");
    if (auto const all = space->unrestricted_count(); all && *all != space->count())
        text += " of " + std::to_string(*all) + ", as the restrictions allow";
    if (auto const most = o.budget ? o.budget->of(space->count()) : space->count();
        most < space->count())
        text += ", of which " + std::to_string(most) + " are tried (--budget)";
    for (std::string const& useless : space->useless_restrictions())
        text += "\nthe restriction " + useless + " excludes nothing";
    return text;
}

std::string parameters_text(lkt::problem const& task, options const& o) {
    std::vector<std::string> lines;
    for (auto const& p : task.parameters) lines.push_back(to_string(p));
    for (auto const& r : task.restrictions) lines.push_back("restriction: " + r.text());
    if (lines.empty()) lines.emplace_back("none");
    if (!task.size.empty()) lines.push_back(configurations_text(task, o));
    return joined(lines);
}

std::string launch_text(lkt::problem_draft const& draft) {
    auto const& task = draft.known;
    if (draft.launch_is_open) return "one thread for each element, once the sizes are known";
    std::string text = lkt::launch_words(task.launch);
    while (text.ends_with('\n')) text.pop_back();
    if (task.size.empty()) return text;
    auto const scope = lkt::scope_of(task.size, lkt::default_configuration(task.parameters));
    auto const made = task.launch.evaluate(scope);
    return text + "\nby default: " + (made ? to_string(*made) : made.error().message);
}

std::string sizes_text(lkt::problem const& task) {
    if (task.size.empty()) return "open: the model is asked for them";
    std::vector<std::string> lines{"timed: " + lkt::size_words(task.size)};
    for (auto const& s : task.further_sizes) lines.push_back("verified: " + lkt::size_words(s));
    for (auto const& c : task.size_constraints) lines.push_back("constraint: " + c.text());
    return joined(lines);
}

std::string work_text(lkt::problem const& task) {
    if (!task.work.operations) return "operations are not given (--flops, lkt.work)";
    auto const n = task.work.operations->evaluate_integer(lkt::scope_of(task.size, {}));
    auto const type = lkt::arithmetic_of(task);
    return task.work.operations->text() + " operations" + (n ? " = " + std::to_string(*n) : "") +
           (type ? " in " + std::string(to_string(*type)) : "") + " a launch";
}

std::string tests_text(lkt::problem const& task, lkt_apps::chosen_tests const& tests) {
    std::vector<std::string> lines{"each size above, and the timed one with other values"};
    auto const hidden = task.size.empty()
                            ? 0
                            : lkt::generated_sizes(
                                  task, {.seed = tests.rest.seed, .count = tests.rest.hidden_sizes})
                                  .size();
    if (hidden > 0)
        lines.push_back(counted(hidden, "hidden size", "hidden sizes") + " within the constraints");
    for (auto const& t : task.tests) lines.push_back("declared: " + t.name);
    if (tests.rest.menu)
        lines.emplace_back("inputs of lkt's menu that suit the arguments (zeros and ones, spikes, "
                           "large values, ...)");
    if (tests.script) lines.push_back("those of " + tests.script->script.origin);
    return joined(lines);
}

std::string expected_text(lkt::problem const& task, options const& o) {
    if (!o.oracle_file.empty()) return "the outputs of the kernel of " + o.oracle_file;
    if (!task.oracle) return "the original's own outputs";
    if (task.unwritten) return "what the operation in " + task.oracle->path + " computes";
    return task.oracle->from == lkt::oracle_source::kind::recorded
               ? "outputs recorded in " + task.oracle->path
               : "what " + task.oracle->function + " in " + task.oracle->path + " computes";
}

/// What a wrong kernel could get away with.
std::vector<std::string> weaknesses(lkt::problem_draft const& draft) {
    auto const& task = draft.known;
    std::vector<std::string> all;
    if (task.size.empty()) all.emplace_back("no sizes are given: pass --size NAME=VALUE");
    bool compared = false;
    for (std::size_t k = 0; k < task.signature.arguments.size(); ++k) {
        auto const& a = task.signature.arguments[k];
        auto const& spec = task.arguments[k];
        if (is_open(draft, k)) {
            all.push_back("nothing is said of `" + a.name + "`: pass --arg " + a.name + "=" +
                          (a.pointer ? "ELEMENTS" : "VALUE"));
            continue;
        }
        if (!a.pointer) continue;
        auto const flow = task.flow(k);
        compared = compared || (flow != lkt::direction::in && !spec.scratch);
        auto const* const drawn = std::get_if<lkt::uniform>(&spec.fill);
        if (flow != lkt::direction::out && is_integer(a.type) && drawn &&
            *drawn == lkt::uniform{} && !spec.min && !spec.max)
            all.push_back("the integers of `" + a.name +
                          "` are drawn from -1, 0 and 1: say what "
                          "they are (uniform(LOW,HIGH) or indices(BELOW))");
    }
    if (!compared && draft.open.empty())
        all.emplace_back("no argument is written, so there is nothing to compare");
    if (task.further_sizes.empty() && task.size_constraints.empty() && !task.size.empty())
        all.emplace_back("one size alone is verified: name others (--also-size)");
    if (task.size_constraints.empty() && !task.size.empty())
        all.emplace_back("sizes that you do not name are not tested, as nobody says which are "
                         "valid: give size_constraints in a problem file (--declare writes one)");
    return all;
}

// What a run costs.

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

std::string dollars(double usd) {
    char text[32];
    std::snprintf(text, sizeof text, usd > 0 && usd < 0.01 ? "$%.4f" : "$%.2f", usd);
    return text;
}

std::string cost_text(planned_run const& run, token_estimate const& tokens) {
    double most = 0;
    bool listed = false;
    for (std::string const& source : run.model_sources) {
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
           (run.model_sources.size() > 1 ? ", by the dearest model" : "") +
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
    std::string text = row("model", joined(run.model_sources));
    if (!run.missing.empty()) text += row("missing", joined(run.missing));
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
    return all.empty() ? "none" : joined(all, ", ");
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
    return joined(all);
}

} // namespace

std::string description_text(lkt::problem_draft const& draft,
                             lkt_apps::chosen_tests const& tests,
                             options const& o) {
    auto const& task = draft.known;
    std::string text = row("kernel",
                           task.signature.name + " (" + task.reference.origin + ", line " +
                               std::to_string(task.signature.line) + "), " +
                               std::string(to_string(task.reference.language)));
    std::vector<std::string> arguments;
    for (std::size_t k = 0; k < task.signature.arguments.size(); ++k)
        arguments.push_back(argument_line(draft, k));
    text += row("arguments", arguments.empty() ? "none" : joined(arguments));
    text += row("sizes", sizes_text(task));
    text += row("launch", launch_text(draft));
    text += row("work", work_text(task));
    text += row("parameters", parameters_text(task, o));
    text += row("tests", tests_text(task, tests));
    text += row("expected", expected_text(task, o));
    if (!task.notes.empty()) text += row("notes", task.notes);
    auto const weak = weaknesses(draft);
    text += row("missing", weak.empty() ? "nothing: hidden sizes are tested too" : joined(weak));
    return lkt::plain_text(text);
}

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
