// SPDX-License-Identifier: BSL-1.0
#include "options.hpp"

#include "../common/backend.hpp"
#include "../common/command_line.hpp"
#include "../common/help.hpp"
#include "../common/tests.hpp"
#include "../models/asked_model.hpp"

#include <boost/program_options.hpp>

namespace lkt_attack {
namespace {

namespace po = boost::program_options;

lkt::error usage(std::string message, std::string hint = "see lkt-attack --help") {
    return lkt_apps::usage_error(usage_code, std::move(message), std::move(hint));
}

constexpr char const* introduction =
    R"(lkt-attack: let a model write wrong GPU kernels that lkt-verify would accept, and judge each one.

  lkt-attack PROBLEM.json... --model NAME [OPTIONS]
  lkt-attack --report --record FILE                 the table of a record, nothing else

)";

constexpr char const* conclusion =
    R"(Exit status: 0 no kernel was accepted and proven wrong, 1 some were, 2 usage, 3 a model, device or
file is missing, used up or failed, or a problem could not be used, 4 suspended (--suspend: a reply
is missing), 130 interrupted. The record is complete in each case; the same command goes on with it.

Examples:
  lkt-attack examples/kernels --backend host --model anthropic:claude-opus-4-5 --rounds 10
  lkt-attack problem.json --model mailbox:letters --suspend --source include/lkt/verify/compare.hpp
)";

po::options_description describe(options& o, std::int64_t& max_calls) {
    auto what = lkt_apps::option_group("Problems");
    auto add = what.add_options();
    add("problems",
        po::value(&o.problems)->value_name("PATH"),
        "problem file (JSON), or a folder whose problem files are attacked; also the first words; "
        "repeatable");
    add("rounds",
        po::value(&o.limits.rounds)->value_name("N")->default_value(o.limits.rounds),
        "replies to ask for, for each problem, those of the record included");
    add("per-reply",
        po::value(&o.limits.per_reply)->value_name("N")->default_value(o.limits.per_reply),
        "kernels in a reply, at most");
    add("attempts",
        po::value(&o.limits.attempts)->value_name("N")->default_value(o.limits.attempts),
        "kernels to judge in this run, at most");

    auto model = lkt_apps::option_group("Model");
    add = model.add_options();
    add("model", po::value(&o.model)->value_name("NAME"), lkt_apps::model_help().c_str());
    add("source",
        po::value(&o.sources)->value_name("FILE"),
        "a file that the model is shown, of the judge's own source, say; repeatable");
    add("max-calls",
        po::value(&max_calls)->value_name("N"),
        "stop asking after so many calls of models, failed ones included");
    add("tape",
        po::value(&o.tape_file)->value_name("FILE"),
        "record requests and replies, for --model replay:FILE");
    add("suspend",
        po::bool_switch(&o.suspend),
        "--model mailbox:FOLDER: exit instead of waiting for a reply");

    auto device = lkt_apps::option_group("Judge");
    add = device.add_options();
    add("backend",
        po::value(&o.backend)->value_name("NAME")->default_value(o.backend),
        lkt_apps::backend_help);
    add("device", po::value(&o.device)->value_name("WHICH"), lkt_apps::device_help);
    add("quick",
        po::bool_switch(&o.quick),
        "fewer launches and configurations, as lkt-verify --quick");
    add("compile-limit",
        po::value(&o.compile_limit_s)->value_name("SECONDS")->default_value(o.compile_limit_s),
        "for one compilation");
    add("test-memory",
        po::value(&o.test_memory_gib)->value_name("GIB")->default_value(o.test_memory_gib),
        lkt_apps::test_memory_help);
    add("unconfined-compiler", po::bool_switch(&o.unconfined_compiler), lkt_apps::unconfined_help);

    auto out = lkt_apps::option_group("Output");
    add = out.add_options();
    add("record",
        po::value(&o.record_file)->value_name("FILE")->default_value(o.record_file),
        "every reply and attempt, as lines of JSON; one that exists is gone on with");
    add("report", po::bool_switch(&o.report), "print the table of the record and exit");
    add("quiet", po::bool_switch(&o.quiet), "no progress display");

    auto about = lkt_apps::option_group("Information");
    add = about.add_options();
    add("version", "print the version and exit");
    add("help", "print this help and exit");

    auto all = lkt_apps::option_group();
    all.add(what).add(model).add(device).add(out).add(about);
    return all;
}

std::optional<lkt::error> inconsistency(options const& o) {
    if (o.report) return std::nullopt;
    if (o.problems.empty())
        return usage("no problem was given", "pass a problem file, or a folder");
    if (o.model.empty()) return usage("no model was given", "pass --model NAME");
    if (auto wrong = lkt_apps::backend_fault(usage_code, o.backend, o.device)) return wrong;
    for (auto const& n : lkt::attack_limits::allowed())
        if (int const value = o.limits.*n.at; value < n.min || value > n.max) {
            std::string name(n.name);
            for (char& c : name) c = c == '_' ? '-' : c;
            return usage("--" + name + " must be " + std::to_string(n.min) + " to " +
                         std::to_string(n.max));
        }
    if (o.suspend && !o.model.starts_with("mailbox:"))
        return usage("--suspend needs --model mailbox:FOLDER", "drop it");
    if (o.max_calls && *o.max_calls < 1) return usage("--max-calls must be at least 1");
    if (auto wrong = lkt_apps::limit_fault(usage_code, "--compile-limit", o.compile_limit_s, false))
        return wrong;
    return lkt_apps::test_memory_fault(usage_code, o.test_memory_gib);
}

} // namespace

lkt::result<std::variant<options, lkt_apps::information>>
parse_command_line(int argc, char const* const* argv) {
    using parsed = std::variant<options, lkt_apps::information>;
    options o;
    std::int64_t max_calls = 0;
    auto const known = describe(o, max_calls);
    po::variables_map seen;
    auto asked = lkt_apps::read_command_line(
        {
            .usage_code = usage_code,
            .program = "lkt-attack",
            .introduction = introduction,
            .conclusion = conclusion,
            .shown = known,
            .known = known,
            .plain = "problems",
        },
        argc,
        argv,
        seen);
    if (!asked) return asked.error();
    if (*asked) return parsed(std::move(**asked));
    if (seen.contains("max-calls")) o.max_calls = max_calls;
    if (auto wrong = inconsistency(o)) return *wrong;
    return parsed(std::move(o));
}

} // namespace lkt_attack
