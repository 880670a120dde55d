// SPDX-License-Identifier: BSL-1.0
#include "run.hpp"

#include "declaration_file.hpp"
#include "description.hpp"
#include "errors.hpp"
#include "outputs.hpp"
#include "plan.hpp"
#include "problem_faults.hpp"
#include "results.hpp"
#include "run_model.hpp"
#include "stored.hpp"
#include "tuning.hpp"

#include "../common/output.hpp"
#include "../common/program.hpp"
#include "../common/status.hpp"

#include <lkt/core/files.hpp>
#include <lkt/nodes/step_file.hpp>
#include <lkt/search/local_search.hpp>
#include <lkt/strategies/catalogue.hpp>
#include <lkt/verify/oracle.hpp>

#include <functional>
#include <utility>

namespace lkt_tune {
namespace {

using namespace lkt_apps;

/// What a run reads before it looks for a device.
struct run_inputs {
    lkt::price_table prices;
    lkt::problem_draft draft;
    bool asks;                                                ///< the strategy asks a model
    std::optional<std::vector<lkt::optimization_step>> steps; ///< none: the library's own
    chosen_tests tests;
};

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

/// A run goes on with the problem that was saved, whatever its file says by now.
void say_if_changed(options const& o, lkt::problem const& saved) {
    std::string const& file = o.problem_file.empty() ? o.kernel_file : o.problem_file;
    auto now = make_problem(o);
    if (now) now->known.examples = saved.examples; // of the store
    if (now ? now->known == saved : now.error().code.starts_with("lkt.file.")) return;
    say("lkt-tune: warning: " + file +
        " has changed since this run began, which goes on with what was saved; begin another run "
        "for what the file says now");
}

lkt::result<run_inputs> read_inputs(options const& o, std::optional<saved_run> const& saved) {
    if (auto lost = overwritten(o)) return *lost;
    if (auto blocked = outputs_blocked(o)) return *blocked;
    auto prices = lkt::price_table::built_in();
    if (!o.prices_file.empty())
        if (auto const read = prices.add_file(o.prices_file); !read) return read.error();
    // The problem of the run that goes on as it was then, else that of the command line.
    auto draft = saved ? saved->draft() : make_problem(o);
    if (!draft) return draft.error();
    if (saved && saved->words().own && o.torch_module.empty()) say_if_changed(o, draft->known);
    auto const asks = asks_model(o.strategy);
    if (!asks) return asks.error();
    if (auto const wrong = problem_fault(o, *draft, *asks)) return *wrong;
    auto steps = steps_of(o.steps_file);
    if (!steps) return steps.error();
    auto tests = make_tests(o.script_file, o.seed, memory_for_a_test(o.test_memory_gib));
    if (!tests) return tests.error();
    return run_inputs{
        std::move(prices), std::move(*draft), *asks, std::move(*steps), std::move(*tests)};
}

lkt::result<chosen_backend>
backend_of(options const& o, lkt::problem const& task, lkt::call_context const& context) {
    return make_backend(
        {.usage_code = usage_code,
         .name = o.backend,
         .device = o.device,
         .language = task.reference.language,
         .sanitize = !o.no_sanitize,
         .unconfined_compiler = o.unconfined_compiler,
         .needs_cuda = o.profile == lkt::profiling::always ? "--profile always" : ""},
        context);
}

/// For `--describe`: without the limits of a device where there is none.
std::optional<lkt::error> unlaunchable(options const& o, lkt::problem const& task) {
    if (auto wrong = lkt::detail::original_fault(task, nullptr)) return wrong;
    auto chosen = backend_of(o, task, {});
    if (!chosen) return std::nullopt;
    auto const device = chosen->gpu.device({});
    return device ? lkt::detail::original_fault(task, &*device) : std::nullopt;
}

/// For `--dry-run`.
lkt::result<std::string> planned(options const& o, run_inputs const& in) {
    auto chosen = backend_of(o, in.draft.known, {});
    if (!chosen) return chosen.error();
    auto const device = chosen->gpu.device({});
    if (!device) return device.error();
    if (auto wrong = lkt::detail::original_fault(in.draft.known, &*device)) return *wrong;
    auto const models = name_models(o);
    if (!models) return models.error();
    bool const answers = !chosen->gpu.offered_evidence().empty();
    return plan_text(
        {in.draft, in.tests, in.steps, *device, chosen->why, *models, in.prices, answers}, o);
}

std::optional<lkt::error> open_device(session& s, lkt::problem const& task) {
    auto chosen = backend_of(s.o, task, s.context());
    if (!chosen) return chosen.error();
    say_choice("lkt-tune", *chosen, s.o.quiet);
    s.device = std::move(*chosen);
    if (s.o.device_queue.empty()) return std::nullopt;
    auto const device = s.device.gpu.device(s.context());
    if (!device) return device.error();
    auto opened = device_turn::open(s.o.device_queue, *device, s.o.device);
    if (!opened) return opened.error();
    s.turn.emplace(std::move(*opened));
    s.device.gpu = gpu_in_turns(std::move(s.device.gpu), *s.turn);
    return std::nullopt;
}

std::optional<lkt::error> open_store(session& s) {
    if (s.o.store.empty()) return std::nullopt;
    auto opened = shelf::open(s.o);
    if (!opened) return opened.error();
    s.kernels.emplace(std::move(*opened));
    return std::nullopt;
}

lkt::result<std::optional<lkt::test_suite>>
expected_outputs(session& s, lkt::problem const& task, run_inputs const& in) {
    return tests_of_oracle(
        oracle_of(s.o, task), task, in.tests, s.o.seed, s.device.gpu, s.context());
}

/// Before a model is opened: what is stored costs nothing, not even a model that can be reached.
lkt::result<std::optional<lkt::tuning_outcome>> stored_first(session& s, run_inputs& in) {
    using perhaps = std::optional<lkt::tuning_outcome>;
    lkt::problem& task = in.draft.known;
    if (!s.kernels || !in.draft.complete() || !s.o.declare_file.empty()) return perhaps();
    auto const suite = expected_outputs(s, task, in);
    if (!suite) return suite.error();
    auto found = stored_kernel(s, task, in.tests, *suite);
    if (!found || *found || s.stopped()) return found;
    if ((in.asks || task.unwritten) && s.o.model.empty())
        return usage("the store " + s.o.store + " has no kernel for this problem",
                     "pass --model PROVIDER:MODEL (see --help)");
    if (task.unwritten && s.o.resume_folder.empty()) {
        auto examples = s.kernels->examples(task, s.o.examples);
        if (!examples) return examples.error();
        task.examples = std::move(*examples);
    }
    return perhaps();
}

/// Whatever the user left open is put to the model.
lkt::result<std::optional<declaration>> ask(session& s, run_inputs& in) {
    auto const& o = s.o;
    auto const& draft = in.draft;
    if (!s.heard || (draft.complete() && !asks_for_tests(o, draft) && o.ask_script.empty()))
        return std::optional<declaration>();
    std::optional<lkt::progress_display> display;
    lkt::progress_sink sink;
    std::optional<shown_waiting> waits;
    if (!o.quiet) {
        sink = std::ref(display.emplace());
        waits.emplace(s.its_turn(), *display);
    }
    auto journal = s.saved ? std::optional(s.saved->journal()) : std::nullopt;
    auto made = declare(
        draft, s.device.gpu, *s.heard, in.tests, o, std::move(journal), sink, s.signals.token());
    if (!made) return made.error();
    return std::optional(std::move(*made));
}

/// Runs the strategy of the command line.
lkt::result<int> tune_with_strategy(session& s,
                                    run_inputs& in,
                                    lkt::problem task,
                                    std::optional<lkt::test_suite> suite,
                                    std::optional<declaration> const& declared) {
    auto const& o = s.o;
    auto& gpu = s.device.gpu;
    bool const unwritten = task.unwritten;
    auto const run_with = [&](auto&& tuner) {
        auto outcome = tune(tuner,
                            std::move(task),
                            std::move(suite),
                            s,
                            s.saved ? &s.saved->journal() : nullptr,
                            s.its_model());
        int kept = status::done;
        if (outcome)
            if (auto lost = keep_kernels(s, *outcome, s.its_model())) kept = complain(*lost);
        int const ended_with = conclude(s, std::move(outcome), declared);
        return ended_with == status::done ? kept : ended_with;
    };
    lkt::no_model nobody;
    lkt::local_search const search(o.budget.value_or(lkt::search_budget{}), o.seed);
    int ended = status::usage;
    auto const known = lkt::with_entry(lkt::catalogue, o.strategy, [&](auto const& entry) {
        auto strategy = entry.make();
        set_numbers(strategy, o.numbers);
        if constexpr (requires { strategy.steps = std::move(in.steps); })
            strategy.steps = std::move(in.steps);
        if constexpr (decltype(entry.asks_model)::value)
            ended = run_with(lkt::tuner{gpu, *s.heard, std::move(strategy), in.tests, search});
        else if (s.heard && unwritten)
            ended = run_with(lkt::tuner{gpu, *s.heard, std::move(strategy), in.tests, search});
        else
            ended = run_with(lkt::tuner{gpu, nobody, std::move(strategy), in.tests, search});
    });
    if (!known) return known.error();
    say_what_was_kept(s);
    return ended;
}

/// The run itself.
lkt::result<int> go(session& s, run_inputs& in, std::vector<std::string> const& words) {
    auto const& o = s.o;
    if (auto failed = open_device(s, in.draft.known)) return *failed;
    if (s.stopped()) return interrupted(s);
    if (auto failed = open_store(s)) return *failed;
    auto stored = stored_first(s, in);
    if (!stored) return stored.error();
    if (*stored) return conclude(s, std::move(**stored), {});
    if (s.stopped()) return interrupted(s);
    if (auto failed = open_model(s, words)) return *failed;
    if (s.stopped()) return interrupted(s);
    if (s.saved && o.resume_folder.empty())
        if (auto const ok = s.saved->write_down(words, in.draft); !ok) return ok.error();
    auto declared = ask(s, in);
    if (!declared) return conclude(s, declared.error());
    if (s.stopped()) return interrupted(s);
    lkt::problem task = *declared ? (*declared)->task : std::move(in.draft.known);
    if (!o.declare_file.empty()) {
        if (auto failed = write_problem(o, task, *declared)) return *failed;
        return status::done;
    }
    auto suite = expected_outputs(s, task, in);
    if (!suite) return suite.error();
    if (s.stopped()) return interrupted(s);
    if (!*suite && *declared && (*declared)->suite) *suite = std::move(*(*declared)->suite);
    if (s.kernels && !s.kernels->has_problem()) {
        auto late = stored_kernel(s, task, in.tests, *suite);
        if (!late) return late.error();
        if (*late) return conclude(s, std::move(**late), *declared);
        if (s.stopped()) return interrupted(s);
    }
    return tune_with_strategy(s, in, std::move(task), std::move(*suite), *declared);
}

} // namespace

int run(options const& o, std::vector<std::string> const& words, std::optional<saved_run> saved) {
    time_limit const time(o.max_time);
    auto in = read_inputs(o, saved);
    if (!in) return complain(in.error());
    if (o.describe) {
        if (auto const wrong = unlaunchable(o, in->draft.known)) return complain(*wrong);
        return print({description_text(in->draft, in->tests, o)}, complain);
    }
    if (auto missing = model_missing(o, in->asks)) return complain(*missing);
    if (o.dry_run) {
        auto const text = planned(o, *in);
        return text ? print({*text}, complain) : complain(text.error());
    }
    if (!saved && !o.journal_folder.empty()) {
        auto begun = saved_run::begin(o);
        if (!begun) return complain(begun.error());
        saved.emplace(std::move(*begun));
    }
    auto trace = run_trace::open(o.trace_file, !o.resume_folder.empty());
    if (!trace) return complain(trace.error());
    session s{o, time, in->prices, std::move(saved), std::move(*trace)};
    auto const ended = go(s, *in, words);
    if (ended) return *ended;
    return s.stopped() ? interrupted(s) : complain(ended.error());
}

} // namespace lkt_tune
