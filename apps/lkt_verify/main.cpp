// SPDX-License-Identifier: BSL-1.0
// lkt-verify: kernels, judged, or one judged again as its certificate says.
#include "browser.hpp"
#include "findings.hpp"
#include "options.hpp"

#include "../common/backend.hpp"
#include "../common/interrupt.hpp"
#include "../common/output.hpp"
#include "../common/program.hpp"
#include "../common/status.hpp"
#include "../common/tests.hpp"

#include <lkt/core/files.hpp>
#include <lkt/core/plain_text.hpp>
#include <lkt/core/units.hpp>
#include <lkt/kernel/bound_scalars.hpp>
#include <lkt/problems/kernel_note.hpp>
#include <lkt/problems/problem_file.hpp>
#include <lkt/report/certificate.hpp>
#include <lkt/report/json.hpp>
#include <lkt/report/text.hpp>
#include <lkt/tuner/progress.hpp>
#include <lkt/tuner/verifier.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace lkt_apps;
using namespace lkt_verify;

int complain(lkt::error const& e) {
    bool const given = e.code == usage_code || e.code.starts_with("lkt.problem.") ||
                       e.code == "lkt.file.missing" || e.code == "lkt.file.read" ||
                       e.code == "lkt.file.large" || e.code == "lkt.kernel.note" ||
                       e.code.starts_with("lkt.certificate.");
    return lkt_apps::report_error("lkt-verify", e, given);
}

/// A kernel to judge.
struct suspect {
    lkt::kernel_source source;
    std::optional<lkt::candidate> noted; ///< the same, where its file says how it is launched
};

/// The problem file, its candidates, and what the verdicts depend on besides.
struct assignment {
    lkt::problem task;
    std::vector<suspect> candidates;
    lkt::certified_settings settings;
    std::vector<lkt::certified_file> files;    ///< of the certificate, if one is written or checked
    std::optional<lkt::certificate> certified; ///< that is checked
};

/// What a certificate says where the command line does not.
lkt::result<std::optional<lkt::certificate>> read_certified(options& o) {
    using found = std::optional<lkt::certificate>;
    if (o.check_file.empty()) return found();
    auto text = lkt::read_text_file(o.check_file);
    if (!text) return text.error();
    auto read = lkt::read_certificate(*text, o.check_file);
    if (!read) return read.error();
    for (lkt::certified_file const& f : read->files)
        for (auto const& [role, file] : {std::pair("problem", &o.problem_file),
                                         std::pair("oracle: problem", &o.oracle_file),
                                         std::pair("script", &o.script_file)})
            if (f.role == role && file->empty()) *file = f.path;
    return found(std::move(*read));
}

/// Everything but the kernel that the verdict depends on.
lkt::result<std::vector<lkt::certified_file>> files_of(options const& o) {
    auto files = lkt::files_of_problem(o.problem_file);
    if (!files) return files.error();
    if (!o.oracle_file.empty()) {
        auto const more = lkt::files_of_problem(o.oracle_file, "oracle: ");
        if (!more) return more.error();
        files->insert(files->end(), more->begin(), more->end());
    }
    if (!o.script_file.empty()) {
        auto const text = lkt::read_text_file(o.script_file);
        if (!text) return text.error();
        files->push_back({"script", o.script_file, lkt::text_digest(*text)});
    }
    return files;
}

lkt::certified_settings settings_of(options const& o) {
    // Whoever knows the seed knows the inputs.
    std::random_device entropy;
    lkt::certified_settings s;
    s.seed = o.seed ? *o.seed : (std::uint64_t{entropy()} << 32 | entropy());
    s.hidden_sizes = o.quick ? 6 : 9;
    s.test_memory = memory_for_a_test(o.test_memory_gib);
    s.certify = {o.configurations, o.launches};
    s.repetitions = o.repetitions;
    s.repeating = lkt::seconds(o.quick ? 1 : 10);
    s.compile_limit = lkt::seconds(o.compile_limit_s);
    s.launch_limit = lkt::seconds(o.launch_limit_s);
    s.checked = o.checked;
    s.checked_time = lkt::seconds(o.checked_time_s);
    s.large_launch = lkt::seconds(o.quick ? 0 : 0.5);
    s.static_checks = o.static_checks;
    return s;
}

lkt::result<lkt::kernel_source> read_candidate(std::string const& file, lkt::language language) {
    auto text = lkt::read_text_file(file);
    if (!text) return text.error();
    bool const wgsl = language == lkt::language::wgsl;
    if (file.ends_with(".wgsl") != wgsl)
        return usage_error(usage_code,
                           file + ": expected a kernel in the problem's language, " +
                               std::string(to_string(language)),
                           wgsl ? "give a .wgsl file"
                                : "give a .cu or .hip file, or a problem in WGSL");
    return lkt::kernel_source{language, std::move(*text), file};
}

lkt::result<assignment> read_assignment(options& o) {
    for (std::string const& file : {o.json_file, o.report_file, o.certificate_file})
        if (!file.empty() && file != "-")
            if (auto blocked = lkt::check_writable(file)) return *blocked;
    assignment a;
    auto certified = read_certified(o);
    if (!certified) return certified.error();
    a.certified = std::move(*certified);
    auto problem = lkt::read_problem_file(o.problem_file);
    // An operation has no kernel whose language would be the candidate's.
    auto const wgsl = !o.candidate_files.empty() && o.candidate_files.front().ends_with(".wgsl");
    if (problem && problem->task.unwritten && !o.candidate_files.empty() &&
        wgsl != (problem->task.reference.language == lkt::language::wgsl))
        problem = lkt::read_problem_file(o.problem_file,
                                         wgsl ? lkt::language::wgsl : lkt::language::cuda);
    if (!problem) {
        auto e = problem.error();
        if (a.certified && e.code == "lkt.file.missing")
            e.hint = "the certificate names this file: pass --problem FILE if it is elsewhere here";
        return e;
    }
    for (std::string const& warning : problem->warnings) say("lkt-verify: warning: " + warning);
    if (o.candidate_files.empty()) a.candidates.push_back({a.certified->kernel, {}});
    for (std::string const& file : o.candidate_files) {
        auto read = read_candidate(file, problem->task.reference.language);
        if (!read) return read.error();
        a.candidates.push_back({std::move(*read), {}});
    }
    if (a.certified || !o.certificate_file.empty()) {
        auto files = files_of(o);
        if (!files) return files.error();
        a.files = std::move(*files);
        auto const& kernel = a.candidates.front().source; // the only one
        a.files.push_back({"kernel", kernel.origin, lkt::text_digest(kernel.text)});
    }
    if (o.browser && problem->task.reference.language != lkt::language::wgsl)
        return usage_error(usage_code,
                           "--browser runs WGSL, and " + o.problem_file + " is in " +
                               std::string(to_string(problem->task.reference.language)),
                           "give a problem in WGSL");
    if (a.certified)
        if (auto changed = lkt::changed_file(*a.certified, a.files)) return *changed;
    named_file const outputs[] = {{"--report", o.report_file},
                                  {"--json", o.json_file},
                                  {"--certificate", o.certificate_file}};
    std::vector<named_file> inputs = {{"--problem", o.problem_file},
                                      {"--oracle", o.oracle_file},
                                      {"--script", o.script_file},
                                      {"--check", o.check_file},
                                      {"the problem", problem->task.reference.origin}};
    for (std::string const& file : o.candidate_files) inputs.push_back({"--candidate", file});
    if (auto lost = file_lost(usage_code, outputs, inputs)) return *lost;
    a.settings = a.certified ? a.certified->settings : settings_of(o);
    a.task = std::move(problem->task);
    for (suspect& s : a.candidates) {
        auto noted = lkt::read_kernel_note(s.source);
        if (!noted) return noted.error();
        if (*noted)
            (*noted)->launch = lkt::over_sizes((*noted)->launch, a.task, (*noted)->parameters);
        s.noted = std::move(*noted);
    }
    return a;
}

int deliver(options const& o, findings const& all) {
    int worst = status_of(o, all);
    auto const put = [&](std::string const& file, std::string const& text) {
        if (auto failed = write_output(file, text)) worst = complain(*failed);
    };
    if (!o.json_file.empty())
        put(o.json_file, lkt::plain_json(boost::json::serialize(json_of(o, all))) + "\n");
    if (!o.report_file.empty() || o.json_file != "-")
        put(o.report_file.empty() ? "-" : o.report_file, text_of(o, all));
    if (!o.certificate_file.empty()) {
        if (all.now && all.of.front().second.accepted())
            put(o.certificate_file, certificate_text(*all.now));
        else
            say("lkt-verify: no certificate was written: the kernel was rejected");
    }
    return worst;
}

/// The kernels on the tests in a browser; the verifier has run the original.
int run_page(options const& o,
             lkt::tuning_state const& known,
             assignment const& given,
             page_server& server,
             std::stop_token stop) {
    browser_run run{known.task, known.tests, {}, known.tests.oracle, o.launches, 0, o.quiet};
    if (run.expected_by.empty()) run.expected_by = "the original on " + known.device.name;
    run.seed = given.settings.seed;
    auto const& original = known.baseline.kernel;
    if (!known.task.unwritten) {
        run.kernels.push_back(
            browser_kernel_of(run.task, run.suite, original, original.source.origin));
        run.kernels.back().original = true;
    }
    for (suspect const& s : given.candidates) {
        auto kernel = s.noted ? *s.noted : original;
        if (!s.noted) kernel.source = s.source;
        run.kernels.push_back(browser_kernel_of(run.task, run.suite, kernel, s.source.origin));
    }
    auto const found = run_in_browser(run, server, stop);
    if (!found) return complain(found.error());
    int worst = browser_status(run, *found);
    auto const put = [&](std::string const& file, std::string const& text) {
        if (auto failed = write_output(file, text)) worst = complain(*failed);
    };
    if (!o.json_file.empty())
        put(o.json_file, lkt::plain_json(boost::json::serialize(browser_json(run, *found))) + "\n");
    if (!o.report_file.empty() || o.json_file != "-")
        put(o.report_file.empty() ? "-" : o.report_file, browser_text(run, *found));
    return worst;
}

int run(options o) {
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
    auto const& settings = given->settings;
    lkt::verifier_options how;
    how.evaluation = settings.evaluation();
    // What took this long there may take longer here.
    if (given->certified) how.evaluation.checked_time = 10 * settings.checked_time;
    how.certify = settings.certify;
    how.stop = signals.token();
    std::optional<lkt::progress_display> display;
    if (!o.quiet) how.on_progress = std::ref(display.emplace());
    auto tests = make_tests(o.script_file, settings.seed, settings.test_memory);
    if (!tests) return complain(tests.error());
    tests->rest.hidden_sizes = settings.hidden_sizes;
    lkt::verifier verifier{chosen->gpu, *tests};
    std::optional<page_server> page;
    if (o.browser) {
        auto listening = page_server::listen(o.port);
        if (!listening) return complain(listening.error());
        page = std::move(*listening);
    }
    findings all;
    all.seed = settings.seed;
    all.backend_choice = chosen->why;
    all.conditions = conditions_text(given->task, settings, settings_of(options{}));
    auto const judged = [&]() -> lkt::result<void> {
        auto suite = tests_of_oracle(
            o.oracle_file, given->task, *tests, settings.seed, chosen->gpu, {signals.token(), {}});
        if (!suite) return suite.error();
        how.tests = std::move(*suite);
        if (auto ready = verifier.prepare(std::move(given->task), std::move(how)); !ready)
            return ready.error();
        if (page) return {};
        for (suspect const& s : given->candidates) {
            auto found = s.noted ? verifier.verify(*s.noted) : verifier.verify(s.source);
            if (!found) return found.error();
            all.of.emplace_back(s.source.origin, std::move(*found));
        }
        return {};
    }();
    display.reset();
    auto const why_early = [&] {
        return signals.requested() ? status::interrupted : complain(judged.error());
    };
    if (!judged && all.of.empty()) return why_early();
    if (page) return run_page(o, verifier.state(), *given, *page, signals.token());
    if (judged && (given->certified || !o.certificate_file.empty()))
        all.now = lkt::make_certificate(verifier.state(),
                                        given->candidates.front().source,
                                        all.of.front().second,
                                        settings,
                                        std::move(given->files));
    if (all.now && given->certified)
        all.compared = compare_certificates(*given->certified, *all.now);
    int const delivered = deliver(o, all);
    if (judged) return delivered;
    // What was found of the kernels before is not lost.
    say("lkt-verify: ended after " + std::to_string(all.of.size()) + " of " +
        std::to_string(given->candidates.size()) + " kernels");
    return why_early();
}

} // namespace

int main(int argc, char** argv) {
    return run_program("lkt-verify", "choose smaller problem sizes", argc, argv, [&] {
        return run_parsed(parse_command_line(argc, argv), complain, run);
    });
}
