// SPDX-License-Identifier: BSL-1.0
// lkt-verify: one kernel, judged, or judged again as its certificate says.
#include "options.hpp"

#include "../common/backend.hpp"
#include "../common/interrupt.hpp"
#include "../common/output.hpp"
#include "../common/program.hpp"
#include "../common/status.hpp"
#include "../common/tests.hpp"

#include <lkt/core/files.hpp>
#include <lkt/core/plain_text.hpp>
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

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace lkt_apps;
using namespace lkt_verify;

int complain(lkt::error const& e) {
    say("lkt-verify: " + to_string(e));
    if (e.kind == lkt::condition::cancelled) return status::interrupted;
    bool const given = e.code == usage_code || e.code.starts_with("lkt.problem.") ||
                       e.code == "lkt.file.missing" || e.code == "lkt.file.read" ||
                       e.code == "lkt.file.large" || e.code == "lkt.kernel.note" ||
                       e.code.starts_with("lkt.certificate.");
    return given ? status::usage : status::environment;
}

/// The problem file, its candidate, and what the verdict depends on besides.
struct assignment {
    lkt::problem task;
    lkt::kernel_source candidate;
    std::optional<lkt::candidate> noted; ///< the same, where its file says how it is launched
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
    s.static_checks = o.static_checks;
    return s;
}

lkt::result<lkt::kernel_source> read_candidate(options const& o, lkt::language language) {
    auto text = lkt::read_text_file(o.candidate_file);
    if (!text) return text.error();
    bool const wgsl = language == lkt::language::wgsl;
    if (o.candidate_file.ends_with(".wgsl") != wgsl)
        return usage_error(
            usage_code,
            "expected a kernel in the problem's language, " + std::string(to_string(language)),
            wgsl ? "give a .wgsl file" : "give a .cu or .hip file, or a problem in WGSL");
    return lkt::kernel_source{language, std::move(*text), o.candidate_file};
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
    auto const wgsl = o.candidate_file.ends_with(".wgsl");
    if (problem && problem->task.unwritten && !o.candidate_file.empty() &&
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
    if (a.certified && o.candidate_file.empty()) {
        a.candidate = a.certified->kernel;
    } else {
        auto read = read_candidate(o, problem->task.reference.language);
        if (!read) return read.error();
        a.candidate = std::move(*read);
    }
    if (a.certified || !o.certificate_file.empty()) {
        auto files = files_of(o);
        if (!files) return files.error();
        a.files = std::move(*files);
        a.files.push_back({"kernel", a.candidate.origin, lkt::text_digest(a.candidate.text)});
    }
    if (a.certified)
        if (auto changed = lkt::changed_file(*a.certified, a.files)) return *changed;
    named_file const outputs[] = {{"--report", o.report_file},
                                  {"--json", o.json_file},
                                  {"--certificate", o.certificate_file}};
    named_file const inputs[] = {{"--problem", o.problem_file},
                                 {"--candidate", o.candidate_file},
                                 {"--oracle", o.oracle_file},
                                 {"--script", o.script_file},
                                 {"--check", o.check_file},
                                 {"the problem", problem->task.reference.origin}};
    if (auto lost = file_lost(usage_code, outputs, inputs)) return *lost;
    a.settings = a.certified ? a.certified->settings : settings_of(o);
    a.task = std::move(problem->task);
    auto noted = lkt::read_kernel_note(a.candidate);
    if (!noted) return noted.error();
    if (*noted) (*noted)->launch = lkt::over_sizes((*noted)->launch, a.task, (*noted)->parameters);
    a.noted = std::move(*noted);
    return a;
}

/// What was found, and what it is compared with.
struct finding {
    lkt::verification found;
    std::optional<lkt::certificate> now;
    std::vector<lkt::certificate_line> compared;
};

std::string replay_text(finding const& f, std::string const& file) {
    std::string text = std::string("certificate ") + file +
                       (holds(f.compared) ? ": holds\n" : ": does not hold\n");
    for (lkt::certificate_line const& line : f.compared)
        text += "  " +
                std::string(line.agrees   ? "agrees   "
                            : line.remark ? "remark   "
                                          : "DIFFERS  ") +
                line.what + "\n";
    return lkt::plain_text(text);
}

int deliver(options const& o,
            finding const& f,
            std::uint64_t seed,
            std::string const& backend_choice) {
    bool const in_full = f.found.checked.extent == lkt::checked_extent::full;
    bool const kept = f.compared.empty() || holds(f.compared);
    int worst = !f.found.accepted() || !kept    ? status::rejected
                : o.require_checked && !in_full ? status::unchecked
                                                : status::done;
    auto const put = [&](std::string const& file, std::string const& text) {
        if (auto failed = write_output(file, text)) worst = complain(*failed);
    };
    if (!o.json_file.empty()) {
        auto json = json_report(f.found);
        json["seed"] = seed;
        if (!backend_choice.empty()) json["backend_choice"] = backend_choice;
        if (!f.compared.empty()) {
            boost::json::array lines;
            for (lkt::certificate_line const& line : f.compared)
                lines.push_back(
                    {{"what", line.what}, {"agrees", line.agrees}, {"remark", line.remark}});
            json["certificate"] = {{"holds", kept}, {"compared", std::move(lines)}};
        }
        put(o.json_file, lkt::plain_json(boost::json::serialize(json)) + "\n");
    }
    if (!o.report_file.empty() || o.json_file != "-")
        put(o.report_file.empty() ? "-" : o.report_file,
            (f.compared.empty() ? "" : replay_text(f, o.check_file)) + text_report(f.found) +
                "  seed            " + std::to_string(seed) + "\n" +
                (backend_choice.empty() ? "" : "  chosen          " + backend_choice + "\n"));
    if (!o.certificate_file.empty()) {
        if (f.found.accepted())
            put(o.certificate_file, certificate_text(*f.now));
        else
            say("lkt-verify: no certificate was written: the kernel was rejected");
    }
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
    auto found = [&]() -> lkt::result<lkt::verification> {
        auto suite = tests_of_oracle(
            o.oracle_file, given->task, *tests, settings.seed, {signals.token(), {}});
        if (!suite) return suite.error();
        how.tests = std::move(*suite);
        if (auto ready = verifier.prepare(std::move(given->task), std::move(how)); !ready)
            return ready.error();
        return given->noted ? verifier.verify(*given->noted) : verifier.verify(given->candidate);
    }();
    display.reset();
    if (signals.requested()) return status::interrupted;
    if (!found) return complain(found.error());
    finding f{std::move(*found), {}, {}};
    if (given->certified || !o.certificate_file.empty())
        f.now = lkt::make_certificate(
            verifier.state(), given->candidate, f.found, settings, std::move(given->files));
    if (given->certified) f.compared = compare_certificates(*given->certified, *f.now);
    return deliver(o, f, settings.seed, chosen->why);
}

} // namespace

int main(int argc, char** argv) {
    return run_program("lkt-verify", "choose smaller problem sizes", argc, argv, [&] {
        return run_parsed(parse_command_line(argc, argv), complain, run);
    });
}
