// SPDX-License-Identifier: BSL-1.0
#include "options.hpp"

#include "../common/backend.hpp"
#include "../common/command_line.hpp"
#include "../common/help.hpp"
#include "../common/tests.hpp"

#include <lkt/evaluate/standard_checks.hpp>

#include <boost/program_options.hpp>

#include <sstream>
#include <tuple>
#include <vector>

namespace lkt_verify {
namespace {

namespace po = boost::program_options;

lkt::error usage(std::string message, std::string hint = "see lkt-verify --help") {
    return lkt_apps::usage_error(usage_code, std::move(message), std::move(hint));
}

constexpr char const* introduction =
    R"(lkt-verify: check that a GPU kernel computes what the original computes, also while it is timed.

  lkt-verify --problem PROBLEM.json KERNEL.cu... [OPTIONS]
  lkt-verify --check CERTIFICATE.json [OPTIONS]     verify again what a certificate says
  lkt-verify --problem PROBLEM.json KERNEL.wgsl... --browser     on a browser's GPU

)";

constexpr char const* conclusion =
    R"(Exit status: 0 accepted (--check: the certificate holds), 1 rejected (--check: it does not hold),
2 usage (command line, problem file, candidate or certificate), 3 a device, file or other resource
is missing, used up or failed (or an output cannot be written), 5 accepted, but not checked in full
(--require-checked), 130 interrupted; of several kernels that of the worst.

Examples:
  lkt-verify --problem problem.json kernel.cu --quick
  lkt-verify --problem problem.json kernel.cu --backend cuda --json verdict.json
  lkt-verify --problem problem.json candidates/*.cu --json verdicts.json
  lkt-verify --problem problem.json kernel.cu --seed 7 --static clock=off
  lkt-verify --problem problem.json kernel.cu --certificate kernel.certificate.json
  lkt-verify --check kernel.certificate.json --backend cuda
  lkt-verify --problem problem.json best.wgsl --browser --json browser.json
)";

po::options_description describe(options& o,
                                 std::vector<std::string>& rules,
                                 std::string& ptx,
                                 std::uint64_t& seed,
                                 unsigned& port,
                                 bool& unchecked) {
    auto what = lkt_apps::option_group("Problem and candidate");
    auto add = what.add_options();
    add("problem",
        po::value(&o.problem_file)->value_name("FILE"),
        "problem file (JSON): arguments, sizes, launch, the original kernel");
    add("candidate",
        po::value(&o.candidate_files)->composing()->value_name("FILE"),
        "a kernel to judge, in the problem's language; also as words, one or more: the original is "
        "prepared once for all of them");
    add("oracle", po::value(&o.oracle_file)->value_name("FILE"), lkt_apps::oracle_help);
    add("script", po::value(&o.script_file)->value_name("FILE"), lkt_apps::script_help);

    add("check",
        po::value(&o.check_file)->value_name("FILE"),
        "a certificate: verify its kernel again, with its seed and settings, and compare; problem, "
        "oracle and script are those that it names, unless they are given");

    auto checks = lkt_apps::option_group("Checks");
    add = checks.add_options();
    add("seed",
        po::value(&seed)->value_name("N"),
        "of inputs, hidden sizes and patterns, to repeat a verdict; by default random");
    add("quick",
        po::bool_switch(&o.quick),
        "fewer launches and configurations, and no large size, for a first look");
    add("configurations",
        po::value(&o.configurations)->value_name("N")->default_value(o.configurations),
        "how many of the candidate's configurations run, spread over all of them");
    add("launches",
        po::value(&o.launches)->value_name("N")->default_value(o.launches),
        "timed launches");
    add("repetitions",
        po::value(&o.repetitions)->value_name("N")->default_value(o.repetitions),
        "how often one launch is repeated; all outputs must agree");
    add("static",
        po::value(&rules)->value_name("RULE=LEVEL"),
        "set a rule for the text (clock, cache_hint, ...; all) to off, warning or error; "
        "repeatable");
    add("ptx", po::value(&ptx)->value_name("POLICY")->default_value(ptx), lkt_apps::ptx_help);
    add("no-checked",
        po::bool_switch(&unchecked),
        "skip the checked mode, which finds races and accesses out of bounds (CUDA on the CPU and "
        "under compute-sanitizer, WGSL in a translation that runs on the CPU)");
    add("checked-time",
        po::value(&o.checked_time_s)->value_name("SECONDS")->default_value(o.checked_time_s),
        lkt_apps::checked_time_help);
    add("require-checked", po::bool_switch(&o.require_checked), lkt_apps::require_checked_help);

    auto device = lkt_apps::option_group("Device");
    add = device.add_options();
    add("backend",
        po::value(&o.backend)->value_name("NAME")->default_value(o.backend),
        lkt_apps::backend_help);
    add("device", po::value(&o.device)->value_name("WHICH"), lkt_apps::device_help);
    add("compile-limit",
        po::value(&o.compile_limit_s)->value_name("SECONDS")->default_value(o.compile_limit_s),
        "for one compilation");
    add("launch-limit",
        po::value(&o.launch_limit_s)->value_name("SECONDS")->default_value(o.launch_limit_s),
        "for one launch, and 12 times as much in checked mode, where that is below a minute; 0: 20 "
        "times the original's time, at least 5");
    add("test-memory",
        po::value(&o.test_memory_gib)->value_name("GIB")->default_value(o.test_memory_gib),
        lkt_apps::test_memory_help);
    add("unconfined-compiler", po::bool_switch(&o.unconfined_compiler), lkt_apps::unconfined_help);

    auto browser = lkt_apps::option_group("Browser");
    add = browser.add_options();
    add("browser",
        po::bool_switch(&o.browser),
        "serve a page, to this machine alone, that runs WGSL kernels on the GPU of the browser "
        "that "
        "opens it: outputs are judged on the tests, and the kernels timed in turns with the "
        "original; nothing else is checked");
    add("port",
        po::value(&port)->value_name("N")->default_value(port),
        "of that page; 0: any that is free");

    auto out = lkt_apps::option_group("Output");
    add = out.add_options();
    add("report",
        po::value(&o.report_file)->value_name("FILE"),
        "verdict and evidence as text; - or nothing: standard output");
    add("json",
        po::value(&o.json_file)->value_name("FILE"),
        "verdict and evidence as JSON; - is standard output");
    add("certificate",
        po::value(&o.certificate_file)->value_name("FILE"),
        "if the kernel is accepted, write a certificate (JSON), from which --check verifies it "
        "again");
    add("quiet", po::bool_switch(&o.quiet), "no progress display");

    auto about = lkt_apps::option_group("Information");
    add = about.add_options();
    add("list-checks", "print the checks in their order and exit");
    add("version", "print the version and exit");
    add("help", "print this help and exit");

    auto all = lkt_apps::option_group();
    all.add(what).add(checks).add(device).add(browser).add(out).add(about);
    return all;
}

/// Each check with its cost, when it runs, and the verdicts that it can give.
std::string listed_checks() {
    static constexpr lkt::standard_checks list;
    lkt::checks_ref const checks(list);
    std::ostringstream out;
    for (std::size_t k = 0; k < checks.size(); ++k) {
        auto const& about = checks.about(k);
        out << about.name << "\n  cost      " << to_string(about.cost) << "\n  when     ";
        for (auto const when : lkt::every_moment)
            if (about.when.contains(when)) out << ' ' << to_string(when);
        out << "\n  verdicts ";
        for (auto const v : about.verdicts) out << ' ' << to_string(v);
        out << '\n';
    }
    return out.str();
}

std::optional<lkt::error> set_rule(lkt::static_policy& policy, std::string const& text) {
    auto const at = text.find('=');
    std::string const rule = text.substr(0, at);
    std::string const level = at == std::string::npos ? "" : text.substr(at + 1);
    lkt::static_severity severity{};
    if (level == "off")
        severity = lkt::static_severity::off;
    else if (level == "warning")
        severity = lkt::static_severity::warning;
    else if (level == "error")
        severity = lkt::static_severity::error;
    else
        return usage("--static " + text + " has no level",
                     "write RULE=off, RULE=warning or RULE=error");
    if (rule == "all") {
        policy = lkt::static_policy::all(severity);
        return std::nullopt;
    }
    std::string known;
    for (std::size_t k = 0; k < lkt::static_rule_codes.size(); ++k) {
        auto const name = lkt::static_rule_codes[k].substr(sizeof("lkt.static.") - 1);
        if (name == rule) {
            policy.set(static_cast<lkt::static_rule>(k), severity);
            return std::nullopt;
        }
        known += (known.empty() ? "" : ", ") + std::string(name);
    }
    return usage("unknown rule '" + rule + "'", "known: all, " + known);
}

std::optional<lkt::error> inconsistency(options const& o) {
    bool const replay = !o.check_file.empty();
    if (o.problem_file.empty() && !replay)
        return usage("no problem was given", "pass --problem FILE");
    if (o.candidate_files.empty() && !replay)
        return usage("no candidate was given", "pass --candidate FILE");
    if (o.candidate_files.size() > 1 && (replay || !o.certificate_file.empty()))
        return usage(std::string(replay ? "--check" : "--certificate") +
                         " is for one kernel, and " + std::to_string(o.candidate_files.size()) +
                         " were given",
                     "pass one kernel");
    if (auto wrong = lkt_apps::backend_fault(usage_code, o.backend, o.device)) return wrong;
    if (o.configurations < 1) return usage("--configurations must be at least 1");
    if (o.launches < 2 || o.launches > 100'000) return usage("--launches must be 2 to 100000");
    if (o.repetitions < 2 || o.repetitions > 100'000)
        return usage("--repetitions must be 2 to 100000");
    for (auto const& [option, limit, may_be_0] :
         {std::tuple("--compile-limit", o.compile_limit_s, false),
          std::tuple("--launch-limit", o.launch_limit_s, true),
          std::tuple("--checked-time", o.checked_time_s, true)})
        if (auto wrong = lkt_apps::limit_fault(usage_code, option, limit, may_be_0)) return wrong;
    return lkt_apps::test_memory_fault(usage_code, o.test_memory_gib);
}

} // namespace

lkt::result<std::variant<options, lkt_apps::information>>
parse_command_line(int argc, char const* const* argv) {
    using parsed = std::variant<options, lkt_apps::information>;
    options o;
    std::vector<std::string> rules;
    std::uint64_t seed = 0;
    unsigned port = 0;
    bool unchecked = false;
    std::string ptx(to_string(o.static_checks.ptx));
    auto const known = describe(o, rules, ptx, seed, port, unchecked);
    po::variables_map seen;
    auto asked = lkt_apps::read_command_line({.usage_code = usage_code,
                                              .program = "lkt-verify",
                                              .introduction = introduction,
                                              .conclusion = conclusion,
                                              .shown = known,
                                              .known = known,
                                              .plain = "candidate",
                                              .lists = {{"list-checks", listed_checks}}},
                                             argc,
                                             argv,
                                             seen);
    if (!asked) return asked.error();
    if (*asked) return parsed(std::move(**asked));
    if (!o.check_file.empty())
        for (char const* name : {"seed",
                                 "quick",
                                 "configurations",
                                 "launches",
                                 "repetitions",
                                 "static",
                                 "ptx",
                                 "no-checked",
                                 "test-memory"})
            if (lkt_apps::was_given(seen, name))
                return usage("--" + std::string(name) + " cannot be given with --check",
                             "drop it: the certificate says it");
    if (seen.contains("seed")) o.seed = seed;
    if (port > 65'535) return usage("--port must be 0 to 65535");
    o.port = static_cast<std::uint16_t>(port);
    if (port != 0 && !o.browser) return usage("--port is of --browser", "add --browser");
    for (char const* name : {"check", "certificate", "require-checked"})
        if (o.browser && lkt_apps::was_given(seen, name))
            return usage("--" + std::string(name) + " cannot be given with --browser",
                         "a browser runs the tests alone; verify without --browser for the rest");
    o.checked = !unchecked;
    if (o.require_checked && unchecked)
        return usage("--require-checked and --no-checked exclude each other", "drop one of them");
    for (std::string const& rule : rules)
        if (auto wrong = set_rule(o.static_checks, rule)) return *wrong;
    if (auto wrong = lkt_apps::read_ptx(usage_code, ptx, o.static_checks.ptx)) return *wrong;
    if (auto wrong = inconsistency(o)) return *wrong;
    if (o.quick) {
        if (seen["configurations"].defaulted()) o.configurations = 8;
        if (seen["launches"].defaulted()) o.launches = 6;
        if (seen["checked-time"].defaulted()) o.checked_time_s = 1;
        if (seen["repetitions"].defaulted()) o.repetitions = 20;
    }
    return parsed(std::move(o));
}

} // namespace lkt_verify
