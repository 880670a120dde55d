// SPDX-License-Identifier: BSL-1.0
#include "options.hpp"

#include "../common/backend.hpp"
#include "../common/command_line.hpp"
#include "../common/help.hpp"

#include <lkt/core/near_name.hpp>
#include <lkt/core/string_tools.hpp>

#include <boost/program_options.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace lkt_store {
namespace {

namespace po = boost::program_options;

lkt::error usage(std::string message, std::string hint = "see lkt-store --help") {
    return lkt_apps::usage_error(usage_code, std::move(message), std::move(hint));
}

constexpr char const* introduction =
    R"(lkt-store: the kernels that lkt-tune --store keeps.

  lkt-store --store FOLDER list [PART...]     entries whose names contain one of the parts
  lkt-store --store FOLDER show PART...       all that is known of them
  lkt-store --store FOLDER verify [PART...]   read them all; with --problem, judge their kernels here
  lkt-store --store FOLDER stats [PART...]    replies, tokens, cost and times by operation and model
  lkt-store --store FOLDER export PART...     one kernel as a file, or entries as lines of JSON
  lkt-store --store FOLDER gc                 remove what is damaged, old or slow

)";

constexpr char const* conclusion =
    R"(A folder that YoloKernelGen wrote (.cache/yolokernelgen/generated) can be read as well.

Exit status: 0 done, 1 verify: an entry is damaged, or a kernel was rejected, 2 usage, 3 the folder,
a device or another resource is missing, used up or failed, 130 interrupted.

Examples:
  lkt-store --store kernels list --operation matmul --status accepted
  lkt-store --store kernels export c_matmul_32x64x48_cuda --output matmul.cu
  lkt-store --store kernels verify --problem examples/operations/matmul.json
  lkt-store --store kernels gc --keep 1 --rejected-days 7 --dry-run
)";

constexpr std::pair<char const*, command> commands[] = {{"list", command::list},
                                                        {"show", command::show},
                                                        {"verify", command::verify},
                                                        {"stats", command::stats},
                                                        {"export", command::export_},
                                                        {"gc", command::gc}};

po::options_description describe(options& o) {
    auto all = lkt_apps::option_group();
    auto const group = [&](char const* title, auto const& fill) {
        auto one = lkt_apps::option_group(title);
        fill(one.add_options());
        all.add(one);
    };
    group("Entries", [&](auto add) {
        add("store", po::value(&o.store)->value_name("FOLDER"), "where they are");
        add("operation",
            po::value(&o.operation)->value_name("NAME"),
            "only of this operation: the kernel's name");
        add("model",
            po::value(&o.model)->value_name("NAME"),
            "only of models whose names contain this");
        add("status",
            po::value(&o.status)->value_name("STATUS"),
            "only accepted, slower or rejected ones");
    });
    group("verify", [&](auto add) {
        add("problem",
            po::value(&o.problem_file)->value_name("FILE"),
            "judge the accepted kernels of this problem on this device; one that is wrong is "
            "rejected in the store");
        add("backend",
            po::value(&o.backend)->value_name("NAME")->default_value(o.backend),
            lkt_apps::backend_help);
        add("device", po::value(&o.device)->value_name("WHICH"), lkt_apps::device_help);
        add("unconfined-compiler",
            po::bool_switch(&o.unconfined_compiler),
            lkt_apps::unconfined_help);
    });
    group("gc", [&](auto add) {
        add("keep",
            po::value(&o.keep)->value_name("N")->default_value(o.keep),
            "accepted kernels of each problem and device, the fastest");
        add("rejected-days",
            po::value(&o.days)->value_name("N")->default_value(o.days),
            "rejected and slower kernels go when they are older");
        add("dry-run", po::bool_switch(&o.dry_run), "only say what would be removed");
    });
    group("Output", [&](auto add) {
        add("output",
            po::value(&o.output_file)->value_name("FILE")->default_value(o.output_file),
            "export: FILE.cu, .hip or .wgsl for one kernel, FILE.jsonl for entries; - is standard "
            "output");
        add("json", po::bool_switch(&o.json), "as JSON, one entry or row a line");
        add("prices",
            po::value(&o.prices_file)->value_name("FILE"),
            "stats: prices of models (JSON), before lkt's list");
        add("version", "print the version and exit");
        add("help", "print this help and exit");
    });
    return all;
}

} // namespace

lkt::result<std::variant<options, lkt_apps::information>>
parse_command_line(int argc, char const* const* argv) {
    using parsed = std::variant<options, lkt_apps::information>;
    options o;
    std::vector<std::string> plain;
    auto const shown = describe(o);
    auto known = shown;
    known.add_options()("word", po::value(&plain));
    po::variables_map seen;
    auto asked = lkt_apps::read_command_line({.usage_code = usage_code,
                                              .program = "lkt-store",
                                              .introduction = introduction,
                                              .conclusion = conclusion,
                                              .shown = shown,
                                              .known = known,
                                              .plain = "word"},
                                             argc,
                                             argv,
                                             seen);
    if (!asked) return asked.error();
    if (*asked) return parsed(std::move(**asked));
    constexpr char const* all = "list, show, verify, stats, export, gc";
    if (plain.empty())
        return usage("no command was given", "one of " + std::string(all) + "; see --help");
    auto const* const found = std::find_if(std::begin(commands),
                                           std::end(commands),
                                           [&](auto const& c) { return c.first == plain.front(); });
    if (found == std::end(commands))
        return usage("unknown command '" + plain.front() + "'" +
                         lkt::did_you_mean(plain.front(), all),
                     "known: " + std::string(all));
    o.what = found->second;
    o.names.assign(plain.begin() + 1, plain.end());
    if (o.store.empty()) return usage("no store was given", "pass --store FOLDER");
    if (std::find(o.names.begin(), o.names.end(), "") != o.names.end())
        return usage("an empty text is no part of a name", "is a variable of the shell empty?");
    bool const needs = o.what == command::show || o.what == command::export_;
    if (needs && o.names.empty() && o.operation.empty() && o.model.empty() && o.status.empty())
        return usage(plain.front() + " needs the name of an entry, or a part of it",
                     "lkt-store --store " + lkt::shell_word(o.store) + " list shows them");
    for (auto const& [option, command_of] : {std::pair("problem", command::verify),
                                             std::pair("backend", command::verify),
                                             std::pair("device", command::verify),
                                             std::pair("unconfined-compiler", command::verify),
                                             std::pair("keep", command::gc),
                                             std::pair("rejected-days", command::gc),
                                             std::pair("dry-run", command::gc),
                                             std::pair("output", command::export_),
                                             std::pair("prices", command::stats)})
        if (o.what != command_of && lkt_apps::was_given(seen, option))
            return usage("--" + std::string(option) + " is not for " + plain.front(), "drop it");
    for (char const* const option : {"backend", "device", "unconfined-compiler"})
        if (o.problem_file.empty() && lkt_apps::was_given(seen, option))
            return usage("--" + std::string(option) + " does nothing without --problem",
                         "name the problem whose kernels are judged: --problem FILE");
    if (o.what == command::gc &&
        !(o.names.empty() && o.operation.empty() && o.model.empty() && o.status.empty()))
        return usage("gc is for the whole store", "drop the names");
    if (!o.status.empty() && o.status != "accepted" && o.status != "slower" &&
        o.status != "rejected")
        return usage("unknown --status '" + o.status + "'" +
                         lkt::did_you_mean(o.status, "accepted, slower, rejected"),
                     "known: accepted, slower, rejected");
    if (o.keep < 0 || o.days < 0 || o.days > 36'500)
        return usage("--keep and --rejected-days must be 0 or more, and no more than 36500 days");
    if (auto wrong = lkt_apps::backend_fault(usage_code, o.backend, o.device)) return *wrong;
    return parsed(std::move(o));
}

} // namespace lkt_store
