// SPDX-License-Identifier: BSL-1.0
// lkt-tune: the library as a program.
#include "batch.hpp"
#include "beside.hpp"
#include "declare.hpp"
#include "doctor.hpp"
#include "limits.hpp"
#include "options.hpp"
#include "outputs.hpp"
#include "preview.hpp"
#include "saved.hpp"
#include "server_check.hpp"
#include "shelf.hpp"
#include "trace.hpp"

#include "../common/backend.hpp"
#include "../common/interrupt.hpp"
#include "../common/output.hpp"
#include "../common/program.hpp"
#include "../common/status.hpp"
#include "../common/tests.hpp"
#include "../models/servers.hpp"

#include <lkt/core/files.hpp>
#include <lkt/core/plain_text.hpp>
#include <lkt/lkt.hpp>
#include <lkt/problems/problem_text.hpp>
#include <lkt/report/json.hpp>
#include <lkt/report/kernel_file.hpp>
#include <lkt/report/text.hpp>
#include <lkt/strategies/catalogue.hpp>
#include <lkt/strategies/from_store.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string_view>

namespace {

using namespace lkt_apps;
using namespace lkt_tune;

int complain(lkt::error const& e) {
    say("lkt-tune: " + to_string(e));
    if (e.kind == lkt::condition::cancelled) return status::interrupted;
    if (e.kind == lkt::condition::suspended) return status::suspended;
    bool const usage = e.code == "lkt.tune.usage" || e.code == "lkt.llm.model-name" ||
                       e.code == "lkt.strategies.steps" || e.code == "lkt.budget.no-price";
    return usage ? status::usage : status::environment;
}

/// Writes whatever was asked for; one that fails does not keep the others from being written.
int deliver(options const& o,
            lkt::tuning_outcome const& outcome,
            std::optional<declaration> const& declared) {
    int worst = status::done;
    auto const put = [&](std::string const& file, std::string const& text) {
        if (auto failed = write_output(file, text)) worst = complain(*failed);
    };
    if (!o.json_file.empty()) {
        auto json = lkt::json_report(outcome);
        if (declared) json["declared"] = to_json(*declared);
        put(o.json_file, lkt::plain_json(boost::json::serialize(json)) + "\n");
    }
    if (!o.output_file.empty())
        put(o.output_file, lkt::kernel_file(outcome, lkt::kernel_form_of(o.output_file)));
    bool const waits = outcome.stopped_by && outcome.stopped_by->kind == lkt::condition::suspended;
    std::string const to = reports_to_standard_output(o) ? "-" : o.report_file;
    // What there is to say of a run that waits is its question.
    if (!to.empty() && !(waits && to == "-"))
        put(to,
            (declared ? lkt::plain_text(to_text(*declared)) + "\n" : "") +
                lkt::text_report(outcome));
    return worst;
}

/// Each step of the strategy, for `--log debug`.
struct log_transitions {
    lkt::logger const& log;
    void on_transition(lkt::node_event const& node, lkt::transition_event const& step) const {
        log(lkt::log_level::debug, lkt::path_of(node), ": ", step.label, " -> ", step.target);
    }
};

lkt::tune_options settings(options const& o, std::stop_token stop) {
    lkt::tune_options s;
    s.evaluation.final_launches = o.launches;
    s.evaluation.profile = o.profile;
    if (o.no_evidence) s.evaluation.evidence = lkt::asking_for::nothing;
    s.evaluation.static_checks.ptx = o.ptx;
    s.evaluation.compile_limit = lkt::seconds(o.compile_limit_s);
    s.evaluation.launch_limit = lkt::seconds(o.launch_limit_s);
    s.evaluation.checked_time = lkt::seconds(o.checked_time_s);
    s.evaluation.seed = o.seed;
    // Whoever says how many to try knows how many.
    if (o.budget) s.evaluation.max_configurations = lkt::space_limits{}.configurations;
    if (auto const n = o.numbers.find(samples_name); n != o.numbers.end())
        s.first_kernel.samples = n->second;
    s.answers = o.answers;
    s.context_tokens = o.context_tokens;
    s.stop = stop;
    return s;
}

void say_how_to_go_on(saved_run const& saved, lkt::error const& ended_by) {
    // What was rejected would be so again.
    if (ended_by.kind != lkt::condition::rejected) say(saved.next_step());
}

/// Ctrl-C, and how to go on. What it met, a compilation or a request, says nothing to its user.
int interrupted(std::optional<saved_run> const& saved) {
    say(std::string("lkt-tune: the run was interrupted") +
        (saved ? "" : "; with --journal FOLDER a run can be resumed"));
    if (saved) say(saved->next_step());
    return status::interrupted;
}

/// What all that a program runs is run with.
struct surroundings {
    options const& o;
    run_trace& trace;
    lkt::price_table const& prices;
    std::string backend_choice; ///< a sentence; may be empty
    time_limit const& time;
    interrupt const& signals;
    std::optional<saved_run>& saved;
    std::optional<shelf>& kernels;
    device_turn* turn; ///< null: the device is not shared
};

/// Keeps what a run tried in the store, if there is one.
int keep_kernels(lkt::tuning_outcome const& outcome,
                 heard_model const* model,
                 surroundings const& with) {
    if (!with.kernels || !with.kernels->has_problem()) return status::done;
    auto const kept =
        with.kernels->keep(outcome, model ? model->heard() : std::span<lkt::heard_reply const>());
    if (!kept) return complain(kept.error());
    if (!with.o.quiet && *kept > 0)
        std::fprintf(stderr, "%zu kernels are in the store %s\n", *kept, with.o.store.c_str());
    return status::done;
}

/// A sweep tries what there is, unless it is told how much of it.
std::optional<lkt::error> too_many_to_try(options const& o, lkt::problem const& task) {
    if (task.size.empty() || o.describe) return std::nullopt;
    auto const space = lkt::search_space::make(task.parameters, task.restrictions, task.size);
    bool const endless = !space && space.error().code == "lkt.search.too_large";
    if (endless)
        return usage_error("lkt.tune.usage",
                           space.error().message + ", too many to draw from",
                           "give fewer values of the parameters, or restrictions (--restrict)");
    std::uint64_t const most = lkt::evaluation_options{}.max_configurations;
    if (!space || o.budget || space->count() <= most) return std::nullopt;
    std::string const all = std::to_string(space->count());
    return usage_error("lkt.tune.usage",
                       "the kernel has " + all + " configurations; without --budget at most " +
                           std::to_string(most) + " are tried",
                       "--budget 200 or --budget 10% tries a part of them, --budget 100% all");
}

/// While it lives, the display shows that the run waits for its device. `turn` may be null.
class shown_waiting {
public:
    shown_waiting(device_turn* turn, lkt::progress_display& display) : turn_(turn) {
        if (turn_ != nullptr)
            turn_->on_wait([&display](bool waits) {
                waits ? display.hold(device_turn::waits) : display.go_on();
            });
    }
    shown_waiting(shown_waiting const&) = delete;
    shown_waiting& operator=(shown_waiting const&) = delete;
    ~shown_waiting() {
        if (turn_ != nullptr) turn_->on_wait({});
    }

private:
    device_turn* turn_;
};

/// Runs one strategy, and shows its progress. `asked`: the model, as it describes itself.
template <class Tuner>
lkt::result<lkt::tuning_outcome> tune(Tuner&& tuner,
                                      lkt::problem task,
                                      std::optional<lkt::test_suite> tests,
                                      std::string const& asked,
                                      lkt::journal* journal,
                                      surroundings const& with,
                                      heard_model const* model = nullptr) {
    auto const& [o, trace, prices, backend_choice, time, signals, saved, kernels, turn] = with;
    auto run = settings(o, signals.token());
    run.budget.roof = o.until_roof;
    run.budget.time = time.left().value_or(lkt::seconds(0));
    run.journal = journal;
    run.tests = std::move(tests);
    run.on_no_result = [&](lkt::tuning_outcome const& tried) {
        (void)keep_kernels(tried, model, with);
    };
    lkt::logger log(o.log);
    log_transitions logged{log};
    auto outcome = [&] {
        // One that nobody sees costs less than the code of each strategy without one.
        std::optional<lkt::progress_display> display;
        if (o.quiet) {
            display.emplace([](std::string const&) {}, false);
            run.on_progress = std::ref(trace);
        } else {
            display.emplace();
            display->show_money(prices, asked);
            run.on_progress = [&](lkt::progress_event const& e) {
                (*display)(e);
                trace(e);
            };
        }
        shown_waiting const waits(o.quiet ? nullptr : turn, *display);
        return tuner.tune(std::move(task), run, *display, trace, logged);
    }();
    if (!outcome) return outcome.error();
    if (!backend_choice.empty()) outcome->notes.push_back(backend_choice);
    if (auto const spent = lkt::cost_of(outcome->usage.models, prices, asked);
        spent && spent->usd > 0)
        outcome->cost = spent->usd;
    return lkt::tuning_outcome(std::move(*outcome));
}

/// Writes the results of a run, and says how it ended.
int conclude(lkt::result<lkt::tuning_outcome> outcome,
             std::optional<declaration> const& declared,
             surroundings const& with) {
    auto const& [o, trace, prices, backend_choice, time, signals, saved, kernels, turn] = with;
    // What the user did not want to go beyond; what was found until then is a result like others.
    auto const limit = outcome ? limit_reached(o, *outcome, saved.has_value()) : std::nullopt;
    if (limit && outcome->stopped_by)
        outcome->stopped_by = limit;
    else if (limit)
        outcome->notes.push_back(limit->message);
    if (auto const untried = outcome ? left_out_by_budget(o, *outcome) : std::nullopt)
        outcome->notes.push_back(*untried);
    auto const ended_by = outcome ? outcome->stopped_by : std::optional(outcome.error());
    bool const waits = ended_by && ended_by->kind == lkt::condition::suspended;
    if (o.beside_torch && outcome && !waits && !signals.requested())
        add_torch_times(o, *outcome, time.left(), turn, signals.token());
    int delivered = outcome ? deliver(o, *outcome, declared) : status::done;
    // What is missing from a trace is no reason to withhold a result, but to say so.
    if (auto const trouble = trace.trouble()) delivered = complain(*trouble);
    if (ended_by && signals.requested()) {
        if (ended_by->kind != lkt::condition::cancelled) complain(*ended_by);
        return interrupted(saved);
    }
    int ended = delivered;
    if (limit)
        complain(*limit);
    else if (ended_by && ended_by->code != "lkt.tuner.roof") // that one is a success
        ended = complain(*ended_by);
    if (outcome && ended == status::done && o.require_checked &&
        outcome->best.checked.extent != lkt::checked_extent::full)
        ended = status::unchecked;
    if (saved && (ended_by || limit))
        say_how_to_go_on(*saved, limit ? *limit : *ended_by);
    else if (saved && delivered != status::done) // the report comes again
        std::fprintf(stderr, "%s\n", saved->next_step().c_str());
    return ended;
}

/// A kernel of the store, judged like one that a model has just written. Nothing: it is not served,
/// and why was said.
std::optional<lkt::tuning_outcome> judge_stored(lkt::kernel_entry const& e,
                                                lkt::problem task,
                                                lkt::any_gpu_backend& gpu,
                                                chosen_tests const& tests,
                                                std::optional<lkt::test_suite> suite,
                                                surroundings const& with) {
    auto const refuse = [&](std::string const& why) {
        say("lkt-tune: the kernel " + e.file + " of the store is not used: " + why);
        return std::optional<lkt::tuning_outcome>();
    };
    auto const wrong = [&](lkt::failure const& f) {
        with.kernels->reject(e, describe(f));
        return refuse("verified again, it is wrong: " + describe(f));
    };
    auto kernel = lkt::candidate_of(e, task);
    if (!kernel) return refuse(kernel.error().message);
    bool const first = task.unwritten;
    if (first) {
        lkt::verifier verifier{gpu, tests};
        lkt::verifier_options how;
        how.evaluation = settings(with.o, with.signals.token()).evaluation;
        how.stop = with.signals.token();
        how.tests = suite;
        if (auto ready = verifier.prepare(task, std::move(how)); !ready)
            return refuse(ready.error().message);
        auto const found = verifier.verify(*kernel);
        if (!found) return refuse(found.error().message);
        if (!found->accepted()) return wrong(*found->why);
        if (auto ok = lkt::take_first_kernel(task, *kernel, found->config); !ok)
            return refuse(ok.error().message);
    }
    lkt::no_model nobody;
    auto outcome = tune(lkt::tuner{gpu, nobody, lkt::from_store<>{*kernel}, tests},
                        std::move(task),
                        std::move(suite),
                        {},
                        nullptr,
                        with);
    if (!outcome) return refuse(outcome.error().message);
    if (with.signals.requested()) return std::move(*outcome);
    if (outcome->history.empty()) return refuse("the run ended before it was judged");
    if (auto const* f = std::get_if<lkt::failure>(&outcome->history.back().outcome))
        return wrong(*f);
    if (!first && !outcome->improved()) return refuse("it is not faster than the original here");
    if (first) { // it was written once, and nothing else was tried
        outcome->written = std::move(outcome->history);
        outcome->written.front().reply = e.reply;
        outcome->history.clear();
    }
    outcome->model = {e.model,
                      "stored",
                      "the kernel is from the store " + with.o.store + ": " + e.file +
                          (e.model.empty() ? "" : ", written by `" + e.model + "`") + ", " +
                          e.date + "; verified again on this device"};
    return std::move(*outcome);
}

/// The fastest kernel of the store that is still right; the status of a run that has ended with it.
/// Nothing: a model has to be asked.
std::optional<int> serve(lkt::problem const& task,
                         lkt::any_gpu_backend& gpu,
                         chosen_tests const& tests,
                         std::optional<lkt::test_suite> const& suite,
                         std::optional<declaration> const& declared,
                         surroundings const& with) {
    constexpr std::size_t most = 3; // that are verified again
    if (auto ok = with.kernels->set_problem(task, gpu, with.o, {with.signals.token(), {}}); !ok)
        return complain(ok.error());
    bool const wanted = !with.o.ignore_stored && !with.o.ask_tests && with.o.ask_script.empty() &&
                        with.o.resume_folder.empty();
    if (!wanted) return std::nullopt;
    auto const found = with.kernels->find();
    if (!found) return complain(found.error());
    for (std::size_t k = 0; k < std::min(found->size(), most); ++k) {
        lkt::kernel_entry const& e = (*found)[k];
        auto outcome = judge_stored(e, task, gpu, tests, suite, with);
        if (with.signals.requested() && !outcome) return interrupted(with.saved);
        if (!outcome) continue;
        with.kernels->served(e);
        return conclude(std::move(*outcome), declared, with);
    }
    return std::nullopt;
}

/// Where the problem file would lie: its kernel has to lie there too.
std::string folder_of_declaration(options const& o, lkt::problem const& task) {
    std::string const& beside = o.declare_file == "-" ? task.reference.origin : o.declare_file;
    return std::filesystem::path(beside).parent_path().string();
}

/// A problem file names its kernel relative to itself, which is better said before anybody is
/// asked.
std::optional<lkt::error> declaration_misplaced(options const& o, lkt::problem const& task) {
    if (o.declare_file.empty()) return std::nullopt;
    auto const text = lkt::problem_text(task, folder_of_declaration(o, task));
    if (text || text.error().code != "lkt.problem.file") return std::nullopt;
    return usage_error("lkt.tune.usage", text.error().message, text.error().hint);
}

int write_problem(options const& o,
                  lkt::problem const& task,
                  std::optional<declaration> const& declared) {
    auto const text = lkt::problem_text(task, folder_of_declaration(o, task));
    if (!text) return complain(text.error());
    if (declared && !o.quiet) say(to_text(*declared), "");
    auto const failed = write_output(o.declare_file, *text);
    return failed ? complain(*failed) : status::done;
}

/// Whatever the user left open is put to the model.
lkt::result<std::optional<declaration>> ask(lkt::problem_draft const& draft,
                                            lkt::any_gpu_backend& gpu,
                                            std::optional<heard_model>& model,
                                            chosen_tests& tests,
                                            options const& o,
                                            std::optional<saved_run>& saved,
                                            device_turn* turn,
                                            interrupt const& signals) {
    if (!model || (draft.complete() && !asks_for_tests(o, draft) && o.ask_script.empty()))
        return std::optional<declaration>();
    std::optional<lkt::progress_display> display;
    lkt::progress_sink sink;
    std::optional<shown_waiting> waits;
    if (!o.quiet) {
        sink = std::ref(display.emplace());
        waits.emplace(turn, *display);
    }
    auto journal = saved ? std::optional(saved->journal()) : std::nullopt;
    auto made = declare(draft, gpu, *model, tests, o, std::move(journal), sink, signals.token());
    if (!made) return made.error();
    return std::optional(std::move(*made));
}

/// Nothing where the library's own are meant.
lkt::result<std::optional<std::vector<lkt::optimization_step>>> steps_of(std::string const& file) {
    using steps = std::optional<std::vector<lkt::optimization_step>>;
    if (file.empty()) return steps();
    auto const text = lkt::read_text_file(file);
    if (!text) return text.error();
    auto read = lkt::read_steps(*text, file);
    if (!read) return read.error();
    return steps(std::move(*read));
}

/// Before the first dollar is shown that comes from the library's list.
void say_whose_prices(lkt::price_table const& prices, asked_model const& model) {
    auto const is_listed = [&](std::string const& source) {
        auto const found = prices.look_up(source);
        return found && found->listed;
    };
    if (std::none_of(model.sources().begin(), model.sources().end(), is_listed)) return;
    std::fprintf(stderr,
                 "costs use the prices of %s, %s; --prices FILE replaces them\n",
                 std::string(lkt::price_table::month()).c_str(),
                 std::string(lkt::price_table::source()).c_str());
}

void say_question(std::string const& question, std::string const& answer) {
    say("a question waits in " + question + "; the reply goes to " + answer);
}

/// Where replies are kept: how many of them nobody paid for again.
void say_what_was_kept(asked_model const& model, std::string const& folder) {
    if (auto const count = model.cache_counters())
        std::fprintf(stderr,
                     "%llu replies came from %s, %llu from the model\n",
                     static_cast<unsigned long long>(count->hits),
                     folder.c_str(),
                     static_cast<unsigned long long>(count->misses));
}

/// An option that has CUDA do what nothing else can; empty: none was given.
std::string needs_cuda(options const& o) {
    return o.profile == lkt::profiling::always ? "--profile always" : "";
}

/// The problem of the run that goes on as it was then, else that of the command line.
lkt::result<lkt::problem_draft> problem_of(options const& o,
                                           std::optional<saved_run> const& saved) {
    return saved ? saved->draft() : make_problem(o);
}

lkt::result<chosen_backend>
backend_of(options const& o, lkt::problem const& task, lkt::call_context const& context) {
    return make_backend({.usage_code = "lkt.tune.usage",
                         .name = o.backend,
                         .device = o.device,
                         .language = task.reference.language,
                         .sanitize = !o.no_sanitize,
                         .unconfined_compiler = o.unconfined_compiler,
                         .needs_cuda = needs_cuda(o)},
                        context);
}

/// What is to be asked, on servers.
std::vector<std::string> servers_of(options const& o) {
    if (o.model.empty() || o.model.starts_with("replay:") || o.model.starts_with("mailbox:"))
        return {};
    auto all = o.fallbacks;
    all.insert(all.begin(), o.model);
    if (!o.reviewer.empty()) all.push_back(o.reviewer);
    return all;
}

/// That a model is missing, or that no provider has the name of one; said before a device is
/// looked for, and after all that is wrong with what is there.
std::optional<lkt::error> model_missing(options const& o, bool asks) {
    bool const may_be_stored = !o.store.empty() && !o.ignore_stored;
    if (asks && o.model.empty() && o.declare_file.empty() && !may_be_stored)
        return usage_error("lkt.tune.usage",
                           "the strategy " + o.strategy + " needs a model",
                           "pass --model PROVIDER:MODEL (see --help), or use --strategy sweep, "
                           "which needs no model");
    for (std::string const& spec : servers_of(o))
        if (auto const facts = server_facts_of(spec); !facts) return facts.error();
    return std::nullopt;
}

/// How many replies of its model the run that goes on has had; 0 where it goes on with another one.
std::uint64_t replies_before(std::optional<saved_run> const& saved,
                             std::vector<std::string> const& words) {
    auto const said = options_said(words);
    bool const another =
        std::any_of(said.begin(), said.end(), [](auto const& one) { return one.key == "model"; });
    return saved && !another ? saved->replies() : 0;
}

/// The descriptions of all models that may be asked, without asking them.
std::optional<lkt::error> name_models(options const& o, planned_run& run) {
    if (o.model.empty()) return std::nullopt;
    if (o.model.starts_with("replay:") || o.model.starts_with("mailbox:")) {
        time_limit const none(std::nullopt);
        auto const model = asked_model::make(o.model, {.time = &none});
        if (!model) return model.error();
        run.model_sources = {model->description()};
        return std::nullopt;
    }
    for (std::string const& spec : servers_of(o)) {
        auto const facts = server_facts_of(spec);
        if (!facts) return facts.error();
        run.model_sources.push_back(facts->description);
        if (!facts->missing_key.empty())
            run.missing.push_back(facts->missing_key + " is not set, so the model cannot be asked");
    }
    // Without its key no model is asked, whoever can be reached.
    if (!run.missing.empty()) return std::nullopt;
    auto servers = check_servers(o, {});
    if (servers.missing) run.missing.push_back(to_string(*servers.missing));
    std::move(servers.warnings.begin(), servers.warnings.end(), std::back_inserter(run.missing));
    return std::nullopt;
}

int dry_run(options const& o,
            lkt::problem_draft const& draft,
            chosen_tests const& tests,
            std::optional<std::vector<lkt::optimization_step>> const& steps,
            lkt::price_table const& prices) {
    auto chosen = backend_of(o, draft.known, {});
    if (!chosen) return complain(chosen.error());
    auto const device = chosen->gpu.device({});
    if (!device) return complain(device.error());
    planned_run run{draft, tests, steps, *device, chosen->why, {}, {}, prices};
    run.answers = !chosen->gpu.offered_evidence().empty();
    if (auto const wrong = name_models(o, run)) return complain(*wrong);
    auto const text = plan_text(run, o);
    return text ? print({*text}, complain) : complain(text.error());
}

int run(options const& o,
        std::vector<std::string> const& words,
        std::optional<saved_run> saved = std::nullopt) {
    time_limit const time(o.max_time);
    if (auto lost = overwritten(o)) return complain(*lost);
    if (auto blocked = outputs_blocked(o)) return complain(*blocked);
    auto prices = lkt::price_table::built_in();
    if (!o.prices_file.empty())
        if (auto const read = prices.add_file(o.prices_file); !read) return complain(read.error());
    auto draft = problem_of(o, saved);
    if (!draft) return complain(draft.error());
    if (auto lost = overwritten(o, draft->known)) return complain(*lost);
    if (auto misnamed =
            output_misnamed("lkt.tune.usage", o.output_file, draft->known.reference.language, true))
        return complain(*misnamed);
    if (auto misplaced = declaration_misplaced(o, draft->known)) return complain(*misplaced);
    if (auto const wrong = beside_torch_fault(o, draft->known)) return complain(*wrong);
    auto const asks = asks_model(o.strategy);
    if (!asks) return complain(asks.error());
    bool const unwritten = draft->known.unwritten;
    if (!unwritten && o.strategy != "sample-n" && o.numbers.contains(samples_name))
        return complain(usage_error("lkt.tune.usage",
                                    "--samples is an option of --strategy sample-n and of "
                                    "operations, and there is a kernel already",
                                    "drop it, or pass --strategy sample-n"));
    if (unwritten &&
        (o.ask_tests || !o.ask_script.empty() || !o.declare_file.empty() || !o.oracle_file.empty()))
        return complain(usage_error("lkt.tune.usage",
                                    "an operation says itself what its kernel computes",
                                    "drop --ask-tests, --ask-script, --declare and --oracle"));
    if (draft->complete() && !unwritten && !*asks && !o.model.empty() && !o.ask_tests &&
        o.ask_script.empty() && o.declare_file.empty())
        return complain(usage_error("lkt.tune.usage",
                                    "the strategy " + o.strategy +
                                        " asks no model, and the problem is complete",
                                    "drop --model, or pass --ask-tests or --strategy one-prompt"));
    if (!*asks)
        if (auto const many = too_many_to_try(o, draft->known)) return complain(*many);
    auto steps = steps_of(o.steps_file);
    if (!steps) return complain(steps.error());
    auto tests = make_tests(o.script_file, o.seed, memory_for_a_test(o.test_memory_gib));
    if (!tests) return complain(tests.error());
    if (o.describe) return print({description_text(*draft, *tests, o)}, complain);
    if (auto missing = model_missing(o, *asks)) return complain(*missing);
    if (o.dry_run) return dry_run(o, *draft, *tests, *steps, prices);
    if (!saved && !o.journal_folder.empty()) {
        auto begun = saved_run::begin(o);
        if (!begun) return complain(begun.error());
        saved.emplace(std::move(*begun));
    }
    auto trace = run_trace::open(o.trace_file, !o.resume_folder.empty());
    if (!trace) return complain(trace.error());
    interrupt signals;
    auto chosen = backend_of(o, draft->known, {signals.token(), {}});
    if (signals.requested()) return interrupted(saved);
    if (!chosen) return complain(chosen.error());
    say_choice("lkt-tune", *chosen, o.quiet);
    auto& gpu = chosen->gpu;
    std::optional<device_turn> turn;
    if (!o.device_queue.empty()) {
        auto const device = gpu.device({signals.token(), {}});
        if (!device) return complain(device.error());
        auto opened = device_turn::open(o.device_queue, *device, o.device);
        if (!opened) return complain(opened.error());
        turn.emplace(std::move(*opened));
        gpu = gpu_in_turns(std::move(gpu), *turn);
    }
    std::optional<shelf> kernels;
    if (!o.store.empty()) {
        auto opened = shelf::open(o);
        if (!opened) return complain(opened.error());
        kernels.emplace(std::move(*opened));
    }
    surroundings const with{
        o, *trace, prices, chosen->why, time, signals, saved, kernels, turn ? &*turn : nullptr};
    auto const expected = [&](lkt::problem const& task) {
        return tests_of_oracle(o.oracle_file, task, *tests, o.seed, {signals.token(), {}});
    };
    // What is stored costs nothing, not even a model that can be reached.
    if (kernels && draft->complete() && o.declare_file.empty()) {
        auto const suite = expected(draft->known);
        if (signals.requested()) return interrupted(saved);
        if (!suite) return complain(suite.error());
        if (auto const served = serve(draft->known, gpu, *tests, *suite, {}, with)) return *served;
        if ((*asks || unwritten) && o.model.empty())
            return complain(usage_error("lkt.tune.usage",
                                        "the store " + o.store + " has no kernel for this problem",
                                        "pass --model PROVIDER:MODEL (see --help)"));
        if (unwritten && o.resume_folder.empty()) {
            auto examples = kernels->examples(draft->known, o.examples);
            if (!examples) return complain(examples.error());
            draft->known.examples = std::move(*examples);
        }
    }
    std::optional<asked_model> model;
    std::optional<heard_model> heard;
    if (!o.model.empty()) {
        auto named = asked_model::make(o.model,
                                       {.record = o.record_file,
                                        .suspend = o.suspend,
                                        .on_question = o.quiet ? nullptr : say_question,
                                        .thinking = o.thinking,
                                        .timeouts = o.timeouts,
                                        .max_cost = o.max_cost,
                                        .max_calls = o.max_calls,
                                        .time = &time,
                                        .prices = prices,
                                        .fallbacks = o.fallbacks,
                                        .reviewer = o.reviewer,
                                        .requests_per_minute = o.requests_per_minute,
                                        .cache = o.reply_cache,
                                        .given_before = replies_before(saved, words)});
        if (!named) return complain(named.error());
        model.emplace(std::move(*named));
        heard.emplace(*model,
                      o.sampling,
                      turn ? &*turn : nullptr,
                      kernels ? std::optional(heard_replies(saved ? std::optional(saved->journal())
                                                                  : std::nullopt))
                              : std::nullopt);
    }
    if (model && !o.quiet) say_whose_prices(prices, *model);
    // A run that goes on measures nothing that would be lost, and may need no reply any more.
    if (model && o.resume_folder.empty()) {
        auto const servers = check_servers(o, {signals.token(), {}});
        if (signals.requested()) return interrupted(saved);
        if (servers.missing) return complain(*servers.missing);
        for (std::string const& warning : servers.warnings) say("warning: " + warning);
    }
    if (auto const* folder = model ? model->mailbox() : nullptr; folder && !o.quiet)
        say("waiting for replies in " + *folder + ", beside the questions" +
            (saved ? ""
                   : "; a reply may be asked for again if this program is started again: --journal "
                     "FOLDER keeps the run"));
    if (saved && o.resume_folder.empty())
        if (auto const ok = saved->write_down(words, *draft); !ok) return complain(ok.error());
    auto declared = ask(*draft, gpu, heard, *tests, o, saved, with.turn, signals);
    if (signals.requested()) return interrupted(saved);
    if (!declared) {
        int const ended = complain(declared.error());
        if (saved) say_how_to_go_on(*saved, declared.error());
        return ended;
    }
    lkt::problem task = *declared ? (*declared)->task : std::move(draft->known);
    if (!o.declare_file.empty()) return write_problem(o, task, *declared);
    auto suite = expected(task);
    if (signals.requested()) return interrupted(saved);
    if (!suite) return complain(suite.error());
    if (!*suite && *declared && (*declared)->suite) *suite = std::move(*(*declared)->suite);
    if (kernels && !kernels->has_problem())
        if (auto const served = serve(task, gpu, *tests, *suite, *declared, with)) return *served;
    auto const run_with = [&](auto&& tuner) {
        auto outcome = tune(tuner,
                            std::move(task),
                            std::move(*suite),
                            model ? model->description() : std::string(),
                            saved ? &saved->journal() : nullptr,
                            with,
                            heard ? &*heard : nullptr);
        int const kept =
            outcome ? keep_kernels(*outcome, heard ? &*heard : nullptr, with) : status::done;
        int const ended_with = conclude(std::move(outcome), *declared, with);
        return ended_with == status::done ? kept : ended_with;
    };
    lkt::no_model nobody;
    lkt::local_search const search(o.budget.value_or(lkt::search_budget{}), o.seed);
    int ended = status::usage;
    auto const known = lkt::with_entry(lkt::catalogue, o.strategy, [&](auto const& entry) {
        auto strategy = entry.make();
        set_numbers(strategy, o.numbers);
        if constexpr (requires { strategy.steps = std::move(*steps); })
            strategy.steps = std::move(*steps);
        if constexpr (decltype(entry.asks_model)::value)
            ended = run_with(lkt::tuner{gpu, *heard, std::move(strategy), *tests, search});
        else if (model && unwritten)
            ended = run_with(lkt::tuner{gpu, *heard, std::move(strategy), *tests, search});
        else
            ended = run_with(lkt::tuner{gpu, nobody, std::move(strategy), *tests, search});
    });
    if (!known) return complain(known.error());
    if (model && !o.quiet) say_what_was_kept(*model, o.reply_cache);
    return ended;
}

int doctor(int argc) {
    if (argc > 2)
        return complain(usage_error("lkt.tune.usage",
                                    "doctor takes no options",
                                    "lkt-tune doctor; a kernel file of that "
                                    "name is ./doctor"));
    auto const found = examine_machine();
    int const printed = print({found.text}, complain);
    return found.host_works ? printed : status::environment;
}

/// With what the run was begun with, where the command line says nothing else.
int resume(options const& o, std::vector<std::string> const& words) {
    auto saved = saved_run::open(o);
    if (!saved) return complain(saved.error());
    // Files that are named here belong to this folder, the others to the one where it began.
    auto const before = taken_over(saved->words(), words);
    if (!before) return complain(before.error());
    auto const whole = parse_command_line(words, *before);
    if (!whole) return complain(whole.error());
    if (auto const missing = saved->enter_folder()) return complain(*missing);
    return run(std::get<options>(*whole), words, std::move(*saved));
}

} // namespace

int main(int argc, char** argv) {
    return run_program("lkt-tune", "choose smaller problem sizes", argc, argv, [&] {
        if (argc > 1 && std::string_view(argv[1]) == "doctor") return doctor(argc);
        auto const given = with_config({argv + std::min(argc, 1), argv + argc});
        if (!given) return complain(given.error());
        auto const& words = given->words;
        auto parsed = parse_command_line(words);
        if (!parsed && given->file) return complain(given->file->located(parsed.error()));
        if (auto* const o = parsed ? std::get_if<options>(&*parsed) : nullptr; o && given->file)
            o->config_file = given->file->name();
        return run_parsed(std::move(parsed), complain, [&](options const& o) {
            bool const goes_on = !o.resume_folder.empty();
            if (!o.operations.empty() || holds_batch(o.resume_folder)) {
                auto const ended = goes_on ? resume_batch(o, words) : begin_batch(o, words);
                return ended ? *ended : complain(ended.error());
            }
            return goes_on ? resume(o, words) : run(o, words);
        });
    });
}
