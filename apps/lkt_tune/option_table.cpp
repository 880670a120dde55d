// SPDX-License-Identifier: BSL-1.0
#include "option_table.hpp"

#include "errors.hpp"

#include "../common/backend.hpp"
#include "../common/completion.hpp"
#include "../common/help.hpp"
#include "../common/tests.hpp"
#include "../models/asked_model.hpp"

#include <lkt/llm/prices.hpp>
#include <lkt/strategies/catalogue.hpp>

#include <boost/program_options.hpp>

namespace lkt_tune {
namespace {

namespace po = boost::program_options;

constexpr char const* introduction =
    R"(lkt-tune: let a model rewrite a GPU kernel, verify every rewrite, tune it, keep the fastest.

  lkt-tune KERNEL.cu [OPTIONS]              a kernel, with its sizes and arguments
  lkt-tune --problem PROBLEM.json [OPTIONS] a problem file, which says all of that
  lkt-tune --operations FOLDER [OPTIONS]    each problem file of a folder, some at once
  lkt-tune --resume FOLDER [OPTIONS]        what was saved there
  lkt-tune doctor                           what is installed, what is missing, what to do

If you leave out sizes or arguments of a kernel file, the model is asked for them and for tests.
)";

constexpr char const* conclusion =
    R"(Exit status: 0 a verified kernel was found (the original, if nothing was faster; a limit may
have ended the search), 2 usage, 3 a model, device or file is missing, used up or failed (or an
output cannot be written), 4 suspended (--suspend: a reply is missing), 5 as 0, but the kernel was
not checked in full (--require-checked), 130 interrupted (the best kernel so far is kept).

Examples:
  lkt-tune kernel.cu --size N=256 --arg A=N*N --arg B=N*N --arg C=N*N --tune BLOCK=8,16,32 \
           --block BLOCK,BLOCK --grid 'ceil_div(N,BLOCK),ceil_div(N,BLOCK)' --strategy sweep
  lkt-tune --problem problem.json --model anthropic:claude-opus-4-5 --max-cost 5 --output best.cu
  lkt-tune --problem problem.json --model openai:gpt-5 --journal run, later: lkt-tune --resume run
)";

// Every repeated option takes one value, so that a kernel file may follow any of them.
auto repeated(std::vector<std::string>& to, char const* value) {
    return po::value(&to)->value_name(value);
}

std::string prices_help() {
    return "prices of models (JSON), before lkt's list of " +
           std::string(lkt::price_table::month()) + " (" + std::string(lkt::price_table::source()) +
           ")";
}

void describe_problem(po::options_description_easy_init add, options& o) {
    add("kernel-file",
        po::value(&o.kernel_file)->value_name("FILE"),
        "CUDA C++ or WGSL (.wgsl) text; also the first word");
    add("problem",
        po::value(&o.problem_file)->value_name("FILE"),
        "problem file (JSON), of a kernel or an operation; beside a kernel file it says what that "
        "has to compute");
    add("torch",
        po::value(&o.torch_module)->value_name("FILE.py:CLASS"),
        "a torch.nn.Module, with get_inputs() beside it, as an operation");
    add("operations",
        po::value(&o.operations)->value_name("FOLDER"),
        "tune each problem file (*.json) there, saved in --journal");
    add("jobs",
        po::value(&o.jobs)->value_name("N")->default_value(o.jobs),
        "--operations: so many at once, in turns on each of --device A,B");
    add("language",
        po::value(&o.language)->value_name("NAME"),
        "of an operation's kernel, not its file's: cuda, hip, wgsl");
    add("kernel",
        po::value(&o.kernel_name)->value_name("NAME"),
        "which kernel, if the text defines several");
    add("size",
        repeated(o.sizes, "NAME=VALUE"),
        "a problem size, in order (ProblemSize[0], ...); repeatable");
    add("also-size",
        repeated(o.also_sizes, "NAME=VALUE,..."),
        "another size, which is verified, not timed; repeatable");
    add("arg",
        repeated(o.arguments, "NAME=EXPR..."),
        "NAME=EXPR[:FILL][:in|out|inout]: elements of a buffer or value of a scalar; FILL: "
        "uniform(LOW,HIGH), normal(MEAN,STDDEV), constant(V), indices(BELOW); repeatable");
    add("tune",
        repeated(o.parameters, "NAME=V1,V2,..."),
        "a tunable parameter; the first value is the default; repeatable");
    add("restrict",
        repeated(o.restrictions, "EXPR"),
        "a condition that configurations must meet; repeatable");
    add("grid",
        po::value(&o.grid)->value_name("X[,Y[,Z]]"),
        "blocks in the grid, as expressions over sizes, parameters, and scalar arguments that are "
        "formulas over the sizes");
    add("block", po::value(&o.block)->value_name("X[,Y[,Z]]"), "threads in a block, as for --grid");
    add("shared",
        po::value(&o.shared)->value_name("BYTES"),
        "dynamic shared memory of a block, as for --grid");
    add("flops",
        po::value(&o.flops)->value_name("EXPR[:TYPE]"),
        "operations of a launch and their type (float16, tf32, ...), for the roof of arithmetic");
    add("declare",
        po::value(&o.declare_file)->value_name("FILE"),
        "write the completed problem to FILE (-: standard output) and exit");
    add("force", po::bool_switch(&o.force), "--declare and --ask-script may replace a file");
}

void describe_tests(po::options_description_easy_init add, options& o) {
    add("oracle", po::value(&o.oracle_file)->value_name("FILE"), lkt_apps::oracle_help);
    add("script", po::value(&o.script_file)->value_name("FILE"), lkt_apps::script_help);
    add("ask-tests",
        po::bool_switch(&o.ask_tests),
        "ask the model for tests even if the problem is complete");
    add("ask-script",
        po::value(&o.ask_script)->value_name("FILE"),
        "ask the model for such a script, which is kept in FILE");
    add("seed",
        po::value(&o.seed)->value_name("N")->default_value(o.seed),
        "seed of the test inputs");
    add("test-memory",
        po::value(&o.test_memory_gib)->value_name("GIB")->default_value(o.test_memory_gib),
        lkt_apps::test_memory_help);
}

void describe_device(po::options_description_easy_init add, options& o, flags& f) {
    add("backend",
        po::value(&o.backend)->value_name("NAME")->default_value(o.backend),
        lkt_apps::backend_help);
    add("device", po::value(&o.device)->value_name("WHICH"), lkt_apps::device_help);
    add("launches",
        po::value(&o.launches)->value_name("N")->default_value(o.launches),
        "timed launches of a finalist, 6 to 10000");
    add("ptx", po::value(&f.ptx)->value_name("POLICY")->default_value(f.ptx), lkt_apps::ptx_help);
    add("device-queue",
        po::value(&o.device_queue)->value_name("FOLDER"),
        "runs that name the same FOLDER use a device in turns");
    add("no-sanitize",
        po::bool_switch(&o.no_sanitize),
        "cuda: check a new best kernel for races and accesses out of bounds on the CPU alone, not "
        "also under NVIDIA's compute-sanitizer");
    add("checked-time",
        po::value(&o.checked_time_s)->value_name("SECONDS")->default_value(o.checked_time_s),
        lkt_apps::checked_time_help);
    add("require-checked", po::bool_switch(&o.require_checked), lkt_apps::require_checked_help);
    add("profile",
        po::value(&f.profile)->value_name("WHEN")->default_value(f.profile),
        "cuda: show the model Nsight Compute's profile of the kernel to rewrite: automatic "
        "(refine, beam, evolve), always, never");
    add("beside-torch",
        po::bool_switch(&o.beside_torch),
        "time an operation of torch, too, eager and by torch.compile; its file runs unconfined");
    add("no-evidence", po::bool_switch(&o.no_evidence), "the model may ask nothing about a kernel");
    add("compile-limit",
        po::value(&o.compile_limit_s)->value_name("SECONDS")->default_value(o.compile_limit_s),
        "for one compilation");
    add("launch-limit",
        po::value(&o.launch_limit_s)->value_name("SECONDS")->default_value(o.launch_limit_s),
        "for one launch");
    add("unconfined-compiler", po::bool_switch(&o.unconfined_compiler), lkt_apps::unconfined_help);
}

void describe_model(po::options_description_easy_init add, options& o, flags& f) {
    add("model", po::value(&o.model)->value_name("NAME"), lkt_apps::model_help().c_str());
    add("fallback",
        repeated(o.fallbacks, "NAME"),
        "another model on a server, asked where --model fails; repeatable, in order");
    add("reviewer",
        po::value(&o.reviewer)->value_name("NAME"),
        ("another model on a server, which plans and judges (" + reviewed_strategies() + ")")
            .c_str());
    add("answers",
        po::value(&f.answers)->value_name("FORM")->default_value(f.answers),
        "how structured answers get their form: automatic, native-schema, tool-call, json-object, "
        "separate-request, hybrid");
    add("context-tokens",
        po::value(&o.context_tokens)->value_name("N"),
        "size of the model's context, for servers that cut long requests silently");
    add("temperature",
        po::value(&f.temperature)->value_name("X"),
        "of every request, 0 to 2; without it, what the server does by itself");
    add("max-tokens",
        po::value(&f.max_tokens)->value_name("N"),
        "most tokens of an answer, reasoning included");
    add("effort",
        po::value(&f.effort)->value_name("LEVEL"),
        "how much a model should reason: none, low, medium, high");
    add("thinking-tags",
        repeated(f.thinking, "OPEN,CLOSE"),
        "texts around the reasoning in answers, beside <think> and other usual ones; repeatable");
    add("record",
        po::value(&o.record_file)->value_name("FILE"),
        "record requests and replies, for --model replay:FILE");
    add("cache",
        po::value(&o.reply_cache)->value_name("FOLDER"),
        "keep the replies of servers there; equal requests get them again");
    add("prices", po::value(&o.prices_file)->value_name("FILE"), prices_help().c_str());
    add("requests-per-minute",
        po::value(&f.requests_per_minute)->value_name("N"),
        "send servers at most so many, all models together");
    add("timeout-first-byte",
        po::value(&f.first_byte_s)->value_name("SECONDS")->default_value(f.first_byte_s),
        "from a request to the first byte of its answer; 0, here and below: no limit");
    add("timeout-idle",
        po::value(&f.idle_s)->value_name("SECONDS")->default_value(f.idle_s),
        "between two parts of an answer");
    add("timeout-total",
        po::value(&f.total_s)->value_name("SECONDS")->default_value(f.total_s),
        "for one request and its answer");
}

void describe_strategy(po::options_description_easy_init add, options& o, flags& f) {
    add("strategy",
        po::value(&f.strategy)->value_name("NAME")->default_value(f.strategy),
        "what is asked and tried, in which order: see Strategies");
    add("steps",
        po::value(&o.steps_file)->value_name("FILE"),
        "explicit: its steps (JSON), instead of those of --default-steps");
    describe_numbers(add);
}

void describe_limits(po::options_description_easy_init add, options& o, flags& f) {
    add("max-time",
        po::value(&o.max_time_text)->value_name("DURATION"),
        "end the search, and calls of models, after so long: 90s, 10m, 1h30m");
    add("budget",
        po::value(&f.budget)->value_name("N|P%"),
        "try at most so many configurations of a kernel, or that share of them: half at random, "
        "half around the fastest");
    add("max-calls",
        po::value(&f.max_calls)->value_name("N"),
        "stop asking after so many calls of models, failed ones included");
    add("until-roof",
        po::value(&f.until_roof)->value_name("PERCENT")->default_value(f.until_roof),
        "stop asking once the best kernel reaches this share of a measured roof; 0: never");
    add("max-cost",
        po::value(&f.max_cost)->value_name("USD"),
        "stop asking once replies have cost so much (see --prices)");
}

void describe_saving(po::options_description_easy_init add, options& o, flags& f) {
    add("store",
        po::value(&o.store)->value_name("FOLDER"),
        "keep every kernel that a model writes there; a kernel that is there for this problem and "
        "device is verified again, and no model is asked (lkt-store lists them)");
    add("ignore-stored",
        po::bool_switch(&o.ignore_stored),
        "--store: ask a model even where there is a kernel");
    add("examples",
        po::value(&o.examples)->value_name("N")->default_value(o.examples),
        "--store: so many kernels of similar operations are shown to who writes a first one, and "
        "why as many were rejected; 0 to 8");
    add("journal",
        po::value(&o.journal_folder)->value_name("FOLDER"),
        "save the run there after each step");
    add("resume",
        po::value(&o.resume_folder)->value_name("FOLDER"),
        "go on with the run that is saved there; models, limits and outputs that you give now "
        "replace the saved ones");
    add("journal-sync",
        po::value(&f.sync)->value_name("WHEN")->default_value(f.sync),
        "when it is flushed to the disk: each (step), interval (1 s), exit");
    add("suspend",
        po::bool_switch(&o.suspend),
        "mailbox: exit instead of waiting for a reply; --resume goes on");
}

void describe_output(po::options_description_easy_init add, options& o, flags& f) {
    add("output",
        po::value(&o.output_file)->value_name("FILE"),
        "write the best kernel, ready to use, with the values that won and how it is launched; "
        "FILE.hpp (.h, .cuh): a header with a function that launches it (CUDA)");
    add("report",
        po::value(&o.report_file)->value_name("FILE"),
        "write the report as text; - is standard output, and so is nothing, unless --json or "
        "--output goes there");
    add("json",
        po::value(&o.json_file)->value_name("FILE"),
        "the whole result as JSON; - is standard output");
    add("trace",
        po::value(&o.trace_file)->value_name("FILE"),
        "every step: lines of JSON (.jsonl), or for Perfetto (.json)");
    add("log",
        po::value(&f.log)->value_name("LEVEL")->default_value(f.log),
        "off, error, warning, info or debug, on standard error");
    add("quiet", po::bool_switch(&o.quiet), "no progress display");
}

void describe_information(po::options_description_easy_init add, options& o, flags& f) {
    add("describe",
        po::bool_switch(&o.describe),
        "print the problem and what its verification lacks, and exit");
    add("dry-run",
        po::bool_switch(&o.dry_run),
        "print what would be done: device, configurations, tests, calls, tokens, cost, files; ask "
        "and measure nothing");
    add("graph",
        po::value(&f.graph)->value_name("STRATEGY"),
        "print the strategy's graph as Mermaid and exit");
    add("default-steps",
        po::bool_switch(&f.default_steps),
        "print the steps of the strategy explicit and exit");
    add("completion",
        po::value(&f.completion)->value_name("SHELL"),
        "print a script that completes options in bash, zsh or fish");
    add("config",
        po::value<std::string>()->value_name("FILE"),
        "more options, as KEY = VALUE lines; the command line wins");
    add("version", "print the version and exit");
    add("help", "print this help and exit");
}

} // namespace

po::options_description describe(options& o, flags& f) {
    auto all = lkt_apps::option_group();
    auto const group = [&](char const* title, auto const& fill) {
        auto one = lkt_apps::option_group(title);
        fill(one.add_options());
        all.add(one);
    };
    group("Problem", [&](auto add) { describe_problem(add, o); });
    group("Tests", [&](auto add) { describe_tests(add, o); });
    group("Device", [&](auto add) { describe_device(add, o, f); });
    group("Model", [&](auto add) { describe_model(add, o, f); });
    group("Strategy", [&](auto add) { describe_strategy(add, o, f); });
    group("Limits", [&](auto add) { describe_limits(add, o, f); });
    group("Saving and resuming", [&](auto add) { describe_saving(add, o, f); });
    group("Output", [&](auto add) { describe_output(add, o, f); });
    group("Information", [&](auto add) { describe_information(add, o, f); });
    return all;
}

lkt::result<std::string> completion_text(po::options_description const& table,
                                         std::string const& shell) {
    std::vector<std::string> strategies;
    boost::hana::for_each(lkt::catalogue,
                          [&](auto const& entry) { strategies.emplace_back(entry.name); });
    lkt_apps::option_choices const choices{
        {"strategy", strategies},
        {"graph", strategies},
        {"backend", {"auto", "cuda", "hip", "host", "webgpu"}},
        {"answers",
         {"automatic", "native-schema", "tool-call", "json-object", "separate-request", "hybrid"}},
        {"effort", {"none", "low", "medium", "high"}},
        {"profile", {"automatic", "always", "never"}},
        {"journal-sync", {"each", "interval", "exit"}},
        {"log", {"off", "error", "warning", "info", "debug"}},
        {"completion", {"bash", "zsh", "fish"}}};
    auto script = lkt_apps::completion_script(shell, "lkt-tune", table, choices);
    if (script.empty())
        return usage("unknown --completion '" + shell + "'", "known: bash, zsh, fish");
    return script;
}

std::string help_text(po::options_description const& table) {
    return introduction + lkt_apps::table_text(table) + "\n" + strategies_text() + "\n" +
           conclusion;
}

} // namespace lkt_tune
