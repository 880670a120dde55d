// SPDX-License-Identifier: BSL-1.0
// lkt-verify: one kernel, judged.
#include "options.hpp"

#include "../common/backend.hpp"
#include "../common/interrupt.hpp"
#include "../common/output.hpp"
#include "../common/start.hpp"
#include "../common/status.hpp"
#include "../common/tests.hpp"

#include <lkt/core/files.hpp>
#include <lkt/core/plain_text.hpp>
#include <lkt/problems/kernel_note.hpp>
#include <lkt/problems/problem_file.hpp>
#include <lkt/process/worker_main.hpp>
#include <lkt/report/json.hpp>
#include <lkt/report/text.hpp>
#include <lkt/tuner/progress.hpp>
#include <lkt/tuner/verifier.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <cstdio>
#include <exception>
#include <new>
#include <random>
#include <system_error>

namespace {

using namespace lkt_apps;
using namespace lkt_verify;

int complain(lkt::error const& e) {
    say("lkt-verify: " + to_string(e));
    if (e.kind == lkt::condition::cancelled) return status::interrupted;
    bool const given = e.code == usage_code || e.code.starts_with("lkt.problem.") ||
                       e.code == "lkt.file.missing" || e.code == "lkt.file.read" ||
                       e.code == "lkt.file.large" || e.code == "lkt.kernel.note";
    return given ? status::usage : status::environment;
}

/// The problem file, its candidate, and where the answers go.
struct assignment {
    lkt::problem task;
    lkt::kernel_source candidate;
    std::optional<lkt::candidate> noted; ///< the same, where its file says how it is launched
};
lkt::result<assignment> read_assignment(options const& o) {
    for (std::string const& file : {o.json_file, o.report_file})
        if (!file.empty() && file != "-")
            if (auto blocked = lkt::check_writable(file)) return *blocked;
    auto problem = lkt::read_problem_file(o.problem_file);
    if (!problem) return problem.error();
    for (std::string const& warning : problem->warnings) say("lkt-verify: warning: " + warning);
    auto text = lkt::read_text_file(o.candidate_file);
    if (!text) return text.error();
    auto const language = problem->task.reference.language;
    bool const wgsl = language == lkt::language::wgsl;
    if (o.candidate_file.ends_with(".wgsl") != wgsl)
        return usage_error(
            usage_code,
            "expected a kernel in the problem's language, " + std::string(to_string(language)),
            wgsl ? "give a .wgsl file" : "give a .cu or .hip file, or a problem in WGSL");
    lkt::kernel_source source{language, std::move(*text), o.candidate_file};
    auto noted = lkt::read_kernel_note(source);
    if (!noted) return noted.error();
    return assignment{std::move(problem->task), std::move(source), std::move(*noted)};
}

lkt::verifier_options settings(options const& o, std::stop_token stop) {
    lkt::verifier_options v;
    v.evaluation.checked = o.checked;
    v.evaluation.checked_time = lkt::seconds(o.checked_time_s);
    v.evaluation.compile_limit = lkt::seconds(o.compile_limit_s);
    v.evaluation.launch_limit = lkt::seconds(o.launch_limit_s);
    v.evaluation.static_checks = o.static_checks;
    // Whoever knows the seed knows the inputs.
    std::random_device entropy;
    v.evaluation.seed = o.seed ? *o.seed : (std::uint64_t{entropy()} << 32 | entropy());
    v.evaluation.repetitions = o.repetitions;
    v.evaluation.repeating = lkt::seconds(o.quick ? 1 : 10);
    v.certify = {o.configurations, o.launches};
    v.stop = stop;
    return v;
}

int deliver(options const& o,
            lkt::verification const& found,
            std::uint64_t seed,
            std::string const& backend_choice) {
    bool const in_full = found.checked.extent == lkt::checked_extent::full;
    int worst = !found.accepted()               ? status::rejected
                : o.require_checked && !in_full ? status::unchecked
                                                : status::done;
    auto const put = [&](std::string const& file, std::string const& text) {
        if (auto failed = write_output(file, text)) worst = complain(*failed);
    };
    if (!o.json_file.empty()) {
        auto json = json_report(found);
        json["seed"] = seed;
        if (!backend_choice.empty()) json["backend_choice"] = backend_choice;
        put(o.json_file, lkt::plain_json(boost::json::serialize(json)) + "\n");
    }
    if (!o.report_file.empty() || o.json_file != "-")
        put(o.report_file.empty() ? "-" : o.report_file,
            text_report(found) + "  seed            " + std::to_string(seed) + "\n" +
                (backend_choice.empty() ? "" : "  chosen          " + backend_choice + "\n"));
    return worst;
}

int run(options const& o) {
    auto given = read_assignment(o);
    if (!given) return complain(given.error());
    interrupt signals;
    auto chosen = make_backend({.usage_code = usage_code,
                                .name = o.backend,
                                .device = o.device,
                                .language = given->task.reference.language,
                                .unconfined_compiler = o.unconfined_compiler},
                               {signals.token(), {}});
    if (signals.requested()) return status::interrupted;
    if (!chosen) return complain(chosen.error());
    say_choice("lkt-verify", *chosen, o.quiet);
    auto how = settings(o, signals.token());
    std::uint64_t const seed = how.evaluation.seed;
    std::optional<lkt::progress_display> display;
    if (!o.quiet) how.on_progress = std::ref(display.emplace());
    auto tests = make_tests(o.script_file, seed, o.test_memory_gib);
    if (!tests) return complain(tests.error());
    tests->rest.hidden_sizes = o.quick ? 5 : 8;
    lkt::verifier verifier{chosen->gpu, *tests};
    auto const found = [&]() -> lkt::result<lkt::verification> {
        auto suite =
            tests_of_oracle(o.oracle_file, given->task, *tests, seed, {signals.token(), {}});
        if (!suite) return suite.error();
        how.tests = std::move(*suite);
        if (auto ready = verifier.prepare(std::move(given->task), std::move(how)); !ready)
            return ready.error();
        return given->noted ? verifier.verify(*given->noted)
                            : verifier.verify(std::move(given->candidate));
    }();
    display.reset();
    if (signals.requested()) return status::interrupted;
    if (!found) return complain(found.error());
    return deliver(o, *found, seed, chosen->why);
}

} // namespace

int main(int argc, char** argv) try {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    fail_instead_of_dying();
    auto parsed = parse_command_line(argc, argv);
    if (!parsed) return complain(parsed.error());
    if (auto const* asked = std::get_if<information>(&*parsed)) {
        auto const failed = write_output("-", asked->text);
        return failed ? complain(*failed) : status::done;
    }
    return run(std::get<options>(*parsed));
} catch (std::bad_alloc const&) {
    std::fputs("lkt-verify: out of memory; choose smaller problem sizes\n", stderr);
    return status::environment;
} catch (std::system_error const& e) { // of a thread that cannot be started
    std::fprintf(stderr,
                 "lkt-verify: the system refuses a resource: %s\n  raise the limits of processes, "
                 "memory and open files (ulimit -u, -v, -n)\n",
                 e.what());
    return status::environment;
} catch (std::exception const& e) {
    std::fprintf(stderr,
                 "lkt-verify: internal error: %s\n  please report this with the command line\n",
                 lkt::plain_text(e.what()).c_str());
    return status::environment;
}
