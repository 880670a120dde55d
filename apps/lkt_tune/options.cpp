// SPDX-License-Identifier: BSL-1.0
#include "options.hpp"

#include "../common/backend.hpp"
#include "../common/tests.hpp"
#include "model.hpp"

#include <lkt/llm/prices.hpp>
#include <lkt/nodes/default_steps.hpp>
#include <lkt/nodes/step_file.hpp>
#include <lkt/version.hpp>

#include <boost/program_options.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <utility>

namespace lkt_tune {
namespace {

namespace po = boost::program_options;

lkt::error usage(std::string message, std::string hint = "see lkt-tune --help") {
    return {lkt::condition::rejected, "lkt.tune.usage", std::move(message), std::move(hint)};
}

constexpr char const* introduction =
    R"(lkt-tune: let a language model rewrite a GPU kernel, verify every rewrite, tune it, keep the fastest.

  lkt-tune KERNEL.cu --size N=256 --arg A=N*N --arg B=N*N --arg C=N*N \
           --tune BLOCK=8,16,32 --block BLOCK,BLOCK --grid 'ceil_div(N,BLOCK),ceil_div(N,BLOCK)' \
           --model anthropic:claude-opus-4-5
  lkt-tune --problem PROBLEM.json --strategy sweep
  lkt-tune KERNEL.cu --model mailbox:FOLDER --declare PROBLEM.json
  lkt-tune --problem PROBLEM.json --model openai:gpt-5 --journal RUN, and later: lkt-tune --resume RUN
  lkt-tune --problem PROBLEM.json --model mailbox:FOLDER --suspend --journal RUN

If you leave out sizes or arguments of a kernel file, the model is asked for them and for tests.

Exit status: 0 a verified kernel was found (the original, if nothing was faster; --max-cost may
have ended the search), 2 usage, 3 a model, device or file is missing, used up or failed (or an
output cannot be written), 4 suspended (--suspend: a reply is missing), 130 interrupted (the best
kernel so far is kept).

)";

struct flags {
    std::string strategy = "one-prompt", log = "warning", sync = "interval", graph;
    bool default_steps = false;
    double max_cost = 0, requests_per_minute = 0;
    double first_byte_s = lkt::http_timeouts{}.first_byte.count();
    double idle_s = lkt::http_timeouts{}.idle.count();
    double total_s = lkt::http_timeouts{}.total.count();
    std::string answers = "automatic", profile = "automatic";
    std::vector<std::string> thinking;
};

std::string help_on_prices() {
    return "prices of models (JSON); for models that it does not name, lkt's list of " +
           std::string(lkt::price_table::month()) + " counts (" +
           std::string(lkt::price_table::source()) + "), with its price for the longest prompts";
}

po::options_description describe(options& o, flags& f) {
    // Every repeated option takes one value, so that a kernel file may follow any of them.
    auto const many = [](std::vector<std::string>& to) {
        return po::value(&to)->value_name("TEXT");
    };
    po::options_description what("Problem");
    what.add_options()("kernel-file",
                       po::value(&o.kernel_file)->value_name("FILE"),
                       "CUDA C++ or WGSL (.wgsl) text; also the first positional argument")(
        "problem",
        po::value(&o.problem_file)->value_name("FILE"),
        "problem file (JSON) instead of a kernel file")(
        "oracle",
        po::value(&o.oracle_file)->value_name("FILE"),
        "problem file (JSON) of another kernel, whose outputs are the expected ones: a CUDA kernel "
        "runs on the host, a WGSL kernel on any WebGPU device; it runs at the sizes of the kernel")(
        "script", po::value(&o.script_file)->value_name("FILE"), lkt_apps::script_help)(
        "kernel",
        po::value(&o.kernel_name)->value_name("NAME"),
        "which kernel of the text; needed if it defines several")(
        "size",
        many(o.sizes),
        "NAME=VALUE: a problem size, in order (ProblemSize[0], ...); repeatable")(
        "also-size",
        many(o.also_sizes),
        "NAME=VALUE[,NAME=VALUE]: a further size that is verified, not timed; repeatable")(
        "arg",
        many(o.arguments),
        "NAME=EXPR[:FILL][:in|out|inout]: elements of a buffer or value of a scalar, over the "
        "sizes; "
        "FILL is uniform(LOW,HIGH), normal(MEAN,STDDEV), constant(V) or indices(BELOW); "
        "repeatable")(
        "tune",
        many(o.parameters),
        "NAME=V1,V2,...: a tunable parameter; the first value is the default; repeatable")(
        "restrict",
        many(o.restrictions),
        "EXPR: a condition that configurations must meet; repeatable")(
        "grid",
        po::value(&o.grid)->value_name("X[,Y[,Z]]"),
        "blocks in the grid, as expressions over sizes and parameters")(
        "block", po::value(&o.block)->value_name("X[,Y[,Z]]"), "threads in a block, as for --grid")(
        "shared",
        po::value(&o.shared)->value_name("BYTES"),
        "dynamic shared memory of a block, as for --grid");
    po::options_description how("Tuning");
    how.add_options()("strategy",
                      po::value(&f.strategy)->value_name("NAME")->default_value(f.strategy),
                      (all_strategies() + ": see below").c_str())(
        "steps",
        po::value(&o.steps_file)->value_name("FILE"),
        "the steps of the strategy explicit, as JSON; default: those of --default-steps")(
        "default-steps",
        po::bool_switch(&f.default_steps),
        "print the library's own steps, as a start for yours, and exit")(
        "model", po::value(&o.model)->value_name("NAME"), model_help().c_str())(
        "thinking-tags",
        many(f.thinking),
        "OPEN,CLOSE: texts around the reasoning in the model's answers, such as "
        "'<reasoning>,</reasoning>'; <think> and other usual ones are known; repeatable")(
        "timeout-first-byte",
        po::value(&f.first_byte_s)->value_name("SECONDS")->default_value(f.first_byte_s),
        "how long a server may take from the end of a request to the first byte of its answer; 0, "
        "here and below: no limit. A request that times out is retried like other transient "
        "failures")("timeout-idle",
                    po::value(&f.idle_s)->value_name("SECONDS")->default_value(f.idle_s),
                    "how long a server may pause between two parts of its answer")(
        "timeout-total",
        po::value(&f.total_s)->value_name("SECONDS")->default_value(f.total_s),
        "how long one request and its answer may take together")(
        "fallback",
        many(o.fallbacks),
        "another model on a server, PROVIDER:MODEL, to ask if --model fails: no answer, an error, "
        "a quota used up, a conversation too long for it; repeatable, they are asked in order")(
        "reviewer",
        po::value(&o.reviewer)->value_name("NAME"),
        ("another model on a server, PROVIDER:MODEL, that plans and judges, while --model writes "
         "kernels (strategies: " +
         reviewed_strategies() + ")")
            .c_str())(
        "cache",
        po::value(&o.reply_cache)->value_name("FOLDER"),
        "cache the replies of models on servers; a request that differs only in measured figures "
        "gets the cached reply; runs may share the folder")(
        "requests-per-minute",
        po::value(&f.requests_per_minute)->value_name("N"),
        "send servers at most this many requests per minute, counting --model, --fallback and "
        "--reviewer "
        "together; further requests wait")("record",
                                           po::value(&o.record_file)->value_name("FILE"),
                                           "record requests and replies as a cassette, for --model "
                                           "replay:FILE; an existing one is extended")(
        "suspend",
        po::bool_switch(&o.suspend),
        "with --model mailbox:FOLDER: exit instead of waiting for a reply; continue with --resume "
        "once the reply is there")("max-cost",
                                   po::value(&f.max_cost)->value_name("USD"),
                                   "stop asking the model once its replies to this program have "
                                   "cost this much; at most one call exceeds it (see --prices)")(
        "ask-tests",
        po::bool_switch(&o.ask_tests),
        "ask the model for tests even if the problem is complete")(
        "declare",
        po::value(&o.declare_file)->value_name("FILE"),
        "write the completed problem as a problem file and exit, so that you can check it and pass "
        "it as --problem; - is standard output")(
        "backend", po::value(&o.backend)->value_name("NAME"), lkt_apps::backend_help)(
        "device", po::value(&o.device)->value_name("WHICH"), lkt_apps::device_help)(
        "unconfined-compiler", po::bool_switch(&o.unconfined_compiler), lkt_apps::unconfined_help)(
        "sanitize",
        po::bool_switch(&o.sanitize),
        "cuda: the best kernel must pass NVIDIA's compute-sanitizer, which takes seconds")(
        "profile",
        po::value(&f.profile)->value_name("WHEN")->default_value(f.profile),
        "cuda: show the model Nsight Compute's profile of the kernel to rewrite, which takes "
        "seconds per kernel: automatic (with the strategies refine, beam and evolve, if ncu "
        "works), always or "
        "never")(
        "answers",
        po::value(&f.answers)->value_name("FORM")->default_value(f.answers),
        "how structured answers get their form: automatic, native-schema, tool-call, json-object, "
        "separate-request or hybrid")(
        "context-tokens",
        po::value(&o.context_tokens)->value_name("N"),
        "size of the model's context, for servers that truncate long requests silently: requests "
        "above three quarters of it leave out older attempts and steps")(
        "launches",
        po::value(&o.launches)->value_name("N")->default_value(o.launches),
        "number of timed launches of a finalist, 6 to 10000")(
        "seed",
        po::value(&o.seed)->value_name("N")->default_value(o.seed),
        "seed of the test inputs")(
        "compile-limit",
        po::value(&o.compile_limit_s)->value_name("SECONDS")->default_value(o.compile_limit_s),
        "time limit for one compilation")(
        "launch-limit",
        po::value(&o.launch_limit_s)->value_name("SECONDS")->default_value(o.launch_limit_s),
        "time limit for one launch")(
        "test-memory",
        po::value(&o.test_memory_gib)->value_name("GIB")->default_value(o.test_memory_gib),
        lkt_apps::test_memory_help);
    po::options_description numbers("Numbers of the strategies");
    describe_numbers(numbers);
    po::options_description save("Saving");
    save.add_options()(
        "journal",
        po::value(&o.journal_folder)->value_name("FOLDER"),
        "save the run there after each step, so that it can be resumed if this program ends early")(
        "resume",
        po::value(&o.resume_folder)->value_name("FOLDER"),
        "resume the run that is saved there, with its original command line; models, limits and "
        "outputs that you give now replace the saved ones")(
        "journal-sync",
        po::value(&f.sync)->value_name("WHEN")->default_value(f.sync),
        "when the journal is flushed to the disk: each (step), interval (1 s) or exit; a killed "
        "program loses nothing with any of them, a machine that fails loses what was not flushed");
    po::options_description out("Output");
    out.add_options()("report",
                      po::value(&o.report_file)->value_name("FILE"),
                      "write the report as text; - or nothing: standard output")(
        "json",
        po::value(&o.json_file)->value_name("FILE"),
        "the whole result as JSON; - is standard output")(
        "trace",
        po::value(&o.trace_file)->value_name("FILE"),
        "write every step as it happens, as a line of JSON (FILE ends in .jsonl) or for "
        "chrome://tracing and ui.perfetto.dev (.json)")(
        "prices", po::value(&o.prices_file)->value_name("FILE"), help_on_prices().c_str())(
        "output",
        po::value(&o.output_file)->value_name("FILE"),
        "write the text of the best kernel")(
        "log",
        po::value(&f.log)->value_name("LEVEL")->default_value(f.log),
        "off, error, warning, info or debug, on standard error")(
        "quiet", po::bool_switch(&o.quiet), "no progress display")(
        "graph",
        po::value(&f.graph)->value_name("STRATEGY"),
        "print the strategy's graph as Mermaid and exit")("version", "print the version and exit")(
        "help", "print this help and exit");
    what.add(how).add(numbers).add(save).add(out);
    return what;
}

lkt::result<lkt::answer_mode> form_called(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    using enum lkt::answer_mode;
    for (auto mode : {automatic, native_schema, tool_call, json_object, separate_request, hybrid})
        if (to_string(mode) == name) return mode;
    return usage("unknown --answers '" + name + "'",
                 "known: automatic, native-schema, tool-call, json-object, separate-request, "
                 "hybrid");
}

lkt::result<std::vector<lkt::thinking_tags>> tags_called(std::vector<std::string> const& given) {
    std::vector<lkt::thinking_tags> tags;
    for (std::string const& pair : given) {
        auto const comma = pair.find(',');
        if (comma == pair.npos || pair.find(',', comma + 1) != pair.npos)
            return usage(
                "expected two texts with a comma between them after --thinking-tags, found '" +
                    pair + "'",
                "--thinking-tags '<reasoning>,</reasoning>'");
        tags.push_back({pair.substr(0, comma), pair.substr(comma + 1)});
    }
    if (auto const wrong = lkt::thinking_defect(tags))
        return usage("--thinking-tags: " + wrong->message, wrong->hint);
    return tags;
}

lkt::result<lkt::profiling> profiling_called(std::string const& name) {
    if (name == "automatic") return lkt::profiling::automatic;
    if (name == "always") return lkt::profiling::always;
    if (name == "never") return lkt::profiling::never;
    return usage("unknown --profile '" + name + "'", "known: automatic, always, never");
}

lkt::result<lkt::sync_policy> policy_called(std::string const& name) {
    if (name == "each") return lkt::sync_policy::each;
    if (name == "interval") return lkt::sync_policy::interval;
    if (name == "exit") return lkt::sync_policy::exit;
    return usage("unknown --journal-sync '" + name + "'", "known: each, interval, exit");
}

/// What a run cannot change on the way: the first of these that is given to one that goes on.
std::optional<lkt::error> unchangeable(std::vector<po::option> const& given) {
    constexpr std::string_view fixed[] = {
        "kernel-file", "problem", "oracle",      "script",  "kernel",  "size",     "also-size",
        "arg",         "tune",    "restrict",    "grid",    "block",   "shared",   "strategy",
        "steps",       "seed",    "test-memory", "declare", "journal", "ask-tests"};
    for (po::option const& one : given)
        if (std::find(std::begin(fixed), std::end(fixed), one.string_key) != std::end(fixed))
            return usage("a resumed run cannot change --" + one.string_key,
                         "drop it, or start a new run with --journal");
    return std::nullopt;
}

lkt::result<lkt::log_level> level_called(std::string const& name) {
    for (auto level : {lkt::log_level::off,
                       lkt::log_level::error,
                       lkt::log_level::warning,
                       lkt::log_level::info,
                       lkt::log_level::debug})
        if (to_string(level) == name) return level;
    return usage("unknown --log '" + name + "'", "known: off, error, warning, info, debug");
}

std::optional<lkt::error> inconsistency(options const& o) {
    if (o.kernel_file.empty() && o.problem_file.empty())
        return usage("no kernel was given",
                     "name a file of CUDA or WGSL text (lkt-tune KERNEL.cu ...) or --problem FILE");
    if (!o.kernel_file.empty() && !o.problem_file.empty())
        return usage("give either a kernel file or a problem file, not both",
                     "drop one of the two; the problem file names its kernel");
    if (!o.problem_file.empty() &&
        !(o.sizes.empty() && o.also_sizes.empty() && o.arguments.empty() && o.parameters.empty() &&
          o.restrictions.empty() && o.grid.empty() && o.block.empty() && o.shared.empty()))
        return usage("the problem file replaces --size, --arg, --tune, --restrict, --grid, --block "
                     "and --shared",
                     "change the problem file, or give the kernel file instead");
    if (auto wrong = lkt_apps::backend_fault("lkt.tune.usage", o.backend, o.device)) return *wrong;
    if (o.sanitize && o.backend != "cuda")
        return usage("--sanitize needs --backend cuda",
                     "drop it: only CUDA needs it; the host back end always uses its checked mode");
    if (o.profile == lkt::profiling::always && o.backend != "cuda")
        return usage("--profile always needs --backend cuda",
                     "drop it: the other back ends have no profiler");
    if (!o.steps_file.empty() && o.strategy != "explicit")
        return usage("--steps needs --strategy explicit", "drop it, or pass --strategy explicit");
    auto const asks = asks_model(o.strategy);
    if (!asks) return asks.error();
    if (*asks && o.model.empty() && o.declare_file.empty())
        return usage("the strategy " + o.strategy + " needs a model",
                     "pass --model PROVIDER:MODEL (see --help), or use --strategy sweep, which "
                     "needs no model");
    for (auto const& [given, what] :
         {std::pair(o.ask_tests, "--ask-tests"),
          std::pair(!o.record_file.empty(), "--record"),
          std::pair(!o.thinking.empty(), "--thinking-tags"),
          std::pair(!o.fallbacks.empty(), "--fallback"),
          std::pair(!o.reviewer.empty(), "--reviewer"),
          std::pair(!o.reply_cache.empty(), "--cache"),
          std::pair(o.requests_per_minute.has_value(), "--requests-per-minute"),
          std::pair(o.max_cost.has_value(), "--max-cost"),
          std::pair(o.context_tokens != 0, "--context-tokens")})
        if (given && o.model.empty())
            return usage(std::string(what) + " needs a model", "pass --model PROVIDER:MODEL");
    if (o.context_tokens != 0 && o.context_tokens < 1024)
        return usage("--context-tokens must be at least 1024",
                     "leave it out if you do not know it");
    for (auto i = o.fallbacks.begin(); i != o.fallbacks.end(); ++i) {
        if (i->starts_with("replay:") || i->starts_with("mailbox:"))
            return usage("--fallback needs a model on a server; '" + *i + "' is not one",
                         "pass --fallback PROVIDER:MODEL (see --help)");
        if (*i == o.model || std::find(o.fallbacks.begin(), i, *i) != i)
            return usage("--fallback names '" + *i + "' twice, or repeats --model",
                         "name another model");
    }
    if (!o.reviewer.empty()) {
        if (o.reviewer.starts_with("replay:") || o.reviewer.starts_with("mailbox:"))
            return usage("--reviewer takes a model on a server, not '" + o.reviewer + "'",
                         "pass --reviewer PROVIDER:MODEL (see --help)");
        auto const reviews = asks_reviewer(o.strategy);
        if (!reviews) return reviews.error();
        if (!*reviews)
            return usage("the strategy " + o.strategy + " asks for no review",
                         "drop --reviewer, or choose one of: " + reviewed_strategies());
    }
    // A wait of ten minutes ends a call.
    if (o.requests_per_minute && !(*o.requests_per_minute >= 0.2 && *o.requests_per_minute <= 1e6))
        return usage("--requests-per-minute must be 0.2 to 1000000", "--requests-per-minute 20");
    if (o.max_cost && !(*o.max_cost > 0 && *o.max_cost <= 1e9))
        return usage("--max-cost must be above 0: US dollars", "--max-cost 2.50");
    for (auto const& [limit, what] : {std::pair(o.timeouts.first_byte, "--timeout-first-byte"),
                                      std::pair(o.timeouts.idle, "--timeout-idle"),
                                      std::pair(o.timeouts.total, "--timeout-total")})
        if (!(limit.count() >= 0 && limit.count() <= 604'800))
            return usage(std::string(what) + " must be 0 (no limit) to 604800 seconds");
    if (o.suspend && !o.model.starts_with("mailbox:"))
        return usage("--suspend needs --model mailbox:FOLDER",
                     "drop it, or pass --model mailbox:FOLDER");
    if (o.suspend && o.journal_folder.empty() && o.resume_folder.empty())
        return usage("--suspend needs a journal from which the run can be resumed",
                     "pass --journal FOLDER");
    if (!o.trace_file.empty()) {
        if (!o.trace_file.ends_with(".jsonl") && !o.trace_file.ends_with(".json"))
            return usage("--trace cannot tell the format from the file name '" + o.trace_file + "'",
                         "name it FILE.jsonl or FILE.json (for Chrome and Perfetto)");
        if (!o.declare_file.empty())
            return usage("--trace records a tuning run, but --declare ends before tuning starts",
                         "drop one of the two");
    }
    if (o.launches < 6 || o.launches > 10'000)
        return usage("--launches must be 6 to 10000: a confidence interval needs at least six");
    if (!(o.compile_limit_s > 0 && o.compile_limit_s <= 86'400) ||
        !(o.launch_limit_s > 0 && o.launch_limit_s <= 86'400))
        return usage(
            "--compile-limit and --launch-limit must be above 0 and at most 86400 seconds");
    return lkt_apps::test_memory_fault("lkt.tune.usage", o.test_memory_gib);
}

} // namespace

lkt::result<std::variant<options, information>>
parse_command_line(std::vector<std::string> const& words, std::vector<std::string> const& before) {
    using parsed = std::variant<options, information>;
    options o;
    flags f;
    auto const known = describe(o, f);
    po::positional_options_description plain;
    plain.add("kernel-file", 1);
    po::variables_map seen;
    try {
        auto const style =
            po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
        auto const read = [&](std::vector<std::string> const& some) {
            return po::command_line_parser(some)
                .options(known)
                .positional(plain)
                .style(style)
                .run();
        };
        auto const given = read(words);
        po::store(given, seen); // what is stored first counts
        if (seen.contains("resume"))
            if (auto wrong = unchangeable(given.options)) return *wrong;
        po::store(read(before), seen);
        if (seen.contains("help")) {
            std::ostringstream text;
            text << introduction << known << "\n" << strategies_text();
            return parsed(information{text.str()});
        }
        if (seen.contains("version"))
            return parsed(information{"lkt-tune " + std::string(lkt::version) + "\n"});
        po::notify(seen);
    } catch (po::error const& e) {
        return usage(e.what());
    }
    if (!f.graph.empty()) {
        auto drawn = picture(f.graph);
        if (!drawn) return drawn.error();
        return parsed(information{std::move(*drawn)});
    }
    if (f.default_steps) return parsed(information{lkt::steps_text(lkt::default_steps())});
    o.strategy = f.strategy;
    if (auto const asks = asks_model(o.strategy); !asks) return asks.error();
    auto const form = form_called(f.answers);
    if (!form) return form.error();
    o.answers = *form;
    auto tags = tags_called(f.thinking);
    if (!tags) return tags.error();
    o.thinking = std::move(*tags);
    auto const when = profiling_called(f.profile);
    if (!when) return when.error();
    o.profile = *when;
    auto const level = level_called(f.log);
    if (!level) return level.error();
    o.log = *level;
    auto const policy = policy_called(f.sync);
    if (!policy) return policy.error();
    o.journal_sync = *policy;
    if (seen.contains("max-cost")) o.max_cost = f.max_cost;
    if (seen.contains("requests-per-minute")) o.requests_per_minute = f.requests_per_minute;
    o.timeouts.first_byte = lkt::seconds(f.first_byte_s);
    o.timeouts.idle = lkt::seconds(f.idle_s);
    o.timeouts.total = lkt::seconds(f.total_s);
    bool const server =
        !o.model.empty() && !o.model.starts_with("replay:") && !o.model.starts_with("mailbox:");
    for (char const* const limit : {"timeout-first-byte",
                                    "timeout-idle",
                                    "timeout-total",
                                    "fallback",
                                    "reviewer",
                                    "cache",
                                    "requests-per-minute"})
        if (!server && seen.contains(limit) && !seen[limit].defaulted() &&
            (o.resume_folder.empty() || !before.empty()))
            return usage(std::string("--") + limit + " needs a model on a server",
                         "drop it, or pass --model PROVIDER:MODEL (see --help)");
    if (!o.resume_folder.empty() && before.empty()) return parsed(std::move(o));
    if (auto wrong = read_numbers(seen, o.strategy, o.numbers)) return *wrong;
    if (auto wrong = inconsistency(o)) return *wrong;
    return parsed(std::move(o));
}

} // namespace lkt_tune
