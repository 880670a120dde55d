// SPDX-License-Identifier: BSL-1.0
// lkt-tune: the library as a program.
#include "options.hpp"

#include "../common/backend.hpp"
#include "../common/interrupt.hpp"
#include "../common/output.hpp"

#include <lkt/core/files.hpp>
#include <lkt/gpu/webgpu.hpp>
#include <lkt/lkt.hpp>
#include <lkt/report/json.hpp>
#include <lkt/report/text.hpp>

#include <boost/json/serialize.hpp>

#include <cstdio>
#include <exception>
#include <new>

namespace {

using namespace lkt_apps;
using namespace lkt_tune;

namespace status {
constexpr int found = 0, nothing = 1, usage = 2, environment = 3, interrupted = 130;
}

int complain(lkt::error const& e) {
    std::fprintf(stderr, "lkt-tune: %s\n", to_string(e).c_str());
    if (e.kind == lkt::condition::cancelled) return status::interrupted;
    return e.code == "lkt.tune.usage" ? status::usage : status::environment;
}

/// Nobody should wait for a result that cannot be written afterwards.
std::optional<lkt::error> outputs_blocked(options const& o) {
    for (std::string const& file : {o.json_file, o.report_file, o.output_file})
        if (!file.empty() && file != "-")
            if (auto blocked = lkt::check_writable(file)) return blocked;
    return std::nullopt;
}

/// Writes whatever was asked for; one that fails does not keep the others from being written.
int deliver(options const& o, lkt::tuning_outcome const& outcome) {
    int worst = status::found;
    auto const put = [&](std::string const& file, std::string const& text) {
        if (auto failed = write_output(file, text)) worst = complain(*failed);
    };
    if (!o.json_file.empty())
        put(o.json_file, boost::json::serialize(lkt::json_report(outcome)) + "\n");
    if (!o.output_file.empty()) put(o.output_file, outcome.best.kernel.source.text);
    put(o.report_file.empty() ? "-" : o.report_file, lkt::text_report(outcome));
    return worst;
}

/// Each step of the strategy, for `--log debug`.
struct trace_transitions {
    lkt::logger const& log;
    void on_transition(lkt::node_event const& node, lkt::transition_event const& step) const {
        log(lkt::log_level::debug, lkt::path_of(node), ": ", step.label, " -> ", step.target);
    }
};

lkt::tune_options settings(options const& o, std::stop_token stop) {
    lkt::tune_options s;
    s.evaluation.final_launches = o.launches;
    s.evaluation.checked = o.checked;
    s.evaluation.compile_limit = lkt::seconds(o.compile_limit_s);
    s.evaluation.launch_limit = lkt::seconds(o.launch_limit_s);
    s.evaluation.seed = o.seed;
    s.max_attempts = o.attempts;
    s.stop = stop;
    return s;
}

/// Runs one strategy, shows its progress, writes its results.
template <class Tuner>
int tune(Tuner&& tuner,
         lkt::problem task,
         std::optional<lkt::test_suite> tests,
         options const& o,
         interrupt const& signals) {
    auto run = settings(o, signals.token());
    run.tests = std::move(tests);
    lkt::logger log(o.log);
    trace_transitions trace{log};
    auto const outcome = [&] {
        if (o.quiet) return tuner.tune(std::move(task), run, trace);
        lkt::progress_display display;
        run.on_progress = std::ref(display);
        return tuner.tune(std::move(task), run, display, trace);
    }();
    if (!outcome) return complain(outcome.error());
    int const delivered = deliver(o, *outcome);
    if (signals.requested()) return status::interrupted;
    if (outcome->stopped_by) return complain(*outcome->stopped_by);
    return delivered;
}

/// What the oracle computes for the kernel's own inputs. Nothing without an oracle.
lkt::result<std::optional<lkt::test_suite>>
tests_of_oracle(lkt::problem const& task, options const& o, std::stop_token stop) {
    if (o.oracle_file.empty()) return std::optional<lkt::test_suite>();
    auto oracle = lkt::read_problem(o.oracle_file);
    if (!oracle) return oracle.error();
    lkt::call_context const context{stop, {}};
    auto inputs = lkt::problem_tests{}.generate(task, context);
    if (!inputs) return inputs.error();
    lkt::any_gpu_backend gpu = lkt::host{};
    if (oracle->reference.language == lkt::language::wgsl) gpu = lkt::webgpu{};
    lkt::oracle_options how;
    how.seed = o.seed;
    auto suite = lkt::suite_of_oracle(gpu, *oracle, task, std::move(*inputs), context, how);
    if (!suite) return suite.error();
    return std::optional(std::move(*suite));
}

int run(options const& o) {
    if (auto blocked = outputs_blocked(o)) return complain(*blocked);
    auto task = make_problem(o);
    if (!task) return complain(task.error());
    interrupt signals;
    auto chosen =
        make_backend("lkt.tune.usage", o.backend, o.device, task->reference.language, o.sanitize);
    if (!chosen) return complain(chosen.error());
    auto& gpu = *chosen;
    auto tests = tests_of_oracle(*task, o, signals.token());
    if (signals.requested()) return status::interrupted;
    if (!tests) return complain(tests.error());
    if (o.strategy == strategy_name::sweep)
        return tune(
            lkt::tuner{gpu, lkt::sweep<>{}}, std::move(*task), std::move(*tests), o, signals);
    lkt::replay_model model(o.model.substr(std::string_view("replay:").size()));
    if (model.defect()) return complain(*model.defect());
    constexpr lkt::one_prompt_knobs knobs{.attempts = lkt::from_state};
    return tune(lkt::tuner{gpu, model, lkt::one_prompt<knobs>{}},
                std::move(*task),
                std::move(*tests),
                o,
                signals);
}

} // namespace

int main(int argc, char** argv) try {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    auto parsed = parse_command_line(argc, argv);
    if (!parsed) return complain(parsed.error());
    if (auto const* asked = std::get_if<information>(&*parsed)) {
        auto const failed = write_output("-", asked->text);
        return failed ? complain(*failed) : status::found;
    }
    return run(std::get<options>(*parsed));
} catch (std::bad_alloc const&) {
    std::fputs("lkt-tune: out of memory; choose smaller problem sizes\n", stderr);
    return status::environment;
} catch (std::exception const& e) {
    std::fprintf(stderr,
                 "lkt-tune: internal error: %s\n  please report this with the command line\n",
                 e.what());
    return status::environment;
}
