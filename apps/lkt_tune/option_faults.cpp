// SPDX-License-Identifier: BSL-1.0
#include "option_faults.hpp"

#include "../common/backend.hpp"
#include "../common/command_line.hpp"
#include "../common/tests.hpp"
#include "../models/servers.hpp"
#include "errors.hpp"
#include "option_values.hpp"

#include <lkt/core/files.hpp>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include <unistd.h>

namespace lkt_tune {
namespace {

/// Of a batch; what its operations are given is checked with the first of them.
std::optional<lkt::error> fault_of_batch(options const& o) {
    for (auto const& [given, what] : {std::pair(!o.kernel_file.empty(), "a kernel file"),
                                      std::pair(!o.problem_file.empty(), "--problem"),
                                      std::pair(!o.torch_module.empty(), "--torch"),
                                      std::pair(!o.declare_file.empty(), "--declare"),
                                      std::pair(o.describe, "--describe"),
                                      std::pair(o.dry_run, "--dry-run"),
                                      std::pair(!o.report_file.empty(), "--report"),
                                      std::pair(!o.json_file.empty(), "--json"),
                                      std::pair(!o.output_file.empty(), "--output")})
        if (given)
            return usage("--operations cannot be given with " + std::string(what),
                         "drop it; the folder of --journal gets the problem, report, result and "
                         "kernel of each operation");
    if (o.journal_folder.empty())
        return usage("--operations needs a folder for what comes of them", "pass --journal FOLDER");
    if (o.jobs < 1 || o.jobs > 256) return usage("--jobs must be 1 to 256", "--jobs 4");
    return std::nullopt;
}

/// Of what says which kernel is tuned.
std::optional<lkt::error> fault_of_kernel(options const& o) {
    if (!o.torch_module.empty() && !(o.kernel_file.empty() && o.problem_file.empty()))
        return usage("--torch cannot be given with a kernel file or a problem file",
                     "drop one of the two");
    if (auto const colon = o.torch_module.rfind(':');
        !o.torch_module.empty() &&
        (colon == std::string::npos || colon == 0 || colon + 1 == o.torch_module.size()))
        return usage("--torch '" + o.torch_module + "' is not FILE.py:CLASS",
                     "--torch module.py:Model");
    if (o.kernel_file.empty() && o.problem_file.empty() && o.torch_module.empty())
        return usage("no kernel was given",
                     "name a file of CUDA or WGSL text (lkt-tune KERNEL.cu ...) or --problem FILE");
    if ((!o.problem_file.empty() || !o.torch_module.empty()) &&
        !(o.sizes.empty() && o.also_sizes.empty() && o.arguments.empty() && o.parameters.empty() &&
          o.restrictions.empty() && o.grid.empty() && o.block.empty() && o.shared.empty() &&
          o.flops.empty()))
        return usage(
            "the problem file replaces --size, --arg, --tune, --restrict, --grid, --block, "
            "--shared and --flops",
            "change the problem file, or give a kernel file without it");
    if (!o.language.empty() && !language_called(o.language))
        return unknown_value("--language", o.language, "cuda, hip, wgsl");
    if (!o.language.empty() && o.problem_file.empty() && o.torch_module.empty())
        return usage("--language is for operations",
                     "drop it, or pass --problem FILE or --torch FILE.py:CLASS");
    return std::nullopt;
}

/// Of the models, and what is said to them.
std::optional<lkt::error> fault_of_model(options const& o) {
    if (o.context_tokens != 0 && o.context_tokens < 1024)
        return usage("--context-tokens must be at least 1024",
                     "leave it out if you do not know it");
    for (auto i = o.fallbacks.begin(); i != o.fallbacks.end(); ++i) {
        if (!lkt_apps::is_on_server(*i))
            return usage("--fallback needs a model on a server; '" + *i + "' is not one",
                         "pass --fallback PROVIDER:MODEL (see --help)");
        if (*i == o.model || std::find(o.fallbacks.begin(), i, *i) != i)
            return usage("--fallback names '" + *i + "' twice, or repeats --model",
                         "name another model");
    }
    if (!o.reviewer.empty()) {
        if (!lkt_apps::is_on_server(o.reviewer))
            return usage("--reviewer takes a model on a server, not '" + o.reviewer + "'",
                         "pass --reviewer PROVIDER:MODEL (see --help)");
        auto const reviews = asks_reviewer(o.strategy);
        if (!reviews) return reviews.error();
        if (!*reviews)
            return usage("the strategy " + o.strategy + " asks for no review",
                         "drop --reviewer, or choose one of: " + reviewed_strategies());
    }
    // A wait of ten minutes ends a call.
    if (o.requests_per_minute && !(*o.requests_per_minute >= 0.2 && *o.requests_per_minute <= 1e6))
        return usage("--requests-per-minute must be 0.2 to 1000000", "--requests-per-minute 20");
    if (o.max_cost && !(*o.max_cost > 0 && *o.max_cost <= 1e9))
        return usage("--max-cost must be above 0: US dollars", "--max-cost 2.50");
    if (o.max_calls && *o.max_calls < 1)
        return usage("--max-calls must be at least 1", "--max-calls 20");
    for (auto const& [limit, what] : {std::pair(o.timeouts.first_byte, "--timeout-first-byte"),
                                      std::pair(o.timeouts.idle, "--timeout-idle"),
                                      std::pair(o.timeouts.total, "--timeout-total")})
        if (!(limit.count() >= 0 && limit.count() <= 604'800))
            return usage(std::string(what) + " must be 0 (no limit) to 604800 seconds");
    if (o.suspend && !o.model.starts_with("mailbox:"))
        return usage("--suspend needs --model mailbox:FOLDER",
                     "drop it, or pass --model mailbox:FOLDER");
    if (o.suspend && o.journal_folder.empty() && o.resume_folder.empty())
        return usage("--suspend needs a journal from which the run can be resumed",
                     "pass --journal FOLDER");
    for (auto const& [given, what] :
         {std::pair(o.ask_tests, "--ask-tests"),
          std::pair(!o.ask_script.empty(), "--ask-script"),
          std::pair(!o.record_file.empty(), "--record"),
          std::pair(!o.thinking.empty(), "--thinking-tags"),
          std::pair(!o.fallbacks.empty(), "--fallback"),
          std::pair(!o.reviewer.empty(), "--reviewer"),
          std::pair(!o.reply_cache.empty(), "--cache"),
          std::pair(o.requests_per_minute.has_value(), "--requests-per-minute"),
          std::pair(o.max_cost.has_value(), "--max-cost"),
          std::pair(o.max_calls.has_value(), "--max-calls"),
          std::pair(o.context_tokens != 0, "--context-tokens")})
        if (given && o.model.empty())
            return usage(std::string(what) + " needs a model", "pass --model PROVIDER:MODEL");
    return std::nullopt;
}

} // namespace

std::optional<lkt::error> inconsistency(options const& o) {
    if (!o.operations.empty()) return fault_of_batch(o);
    if (auto wrong = fault_of_kernel(o)) return wrong;
    if (auto wrong = lkt_apps::backend_fault(usage_code, o.backend, o.device)) return *wrong;
    if (o.no_sanitize && o.backend != "cuda" && o.backend != "auto")
        return usage("--no-sanitize needs --backend cuda",
                     "drop it: compute-sanitizer is for CUDA alone");
    if (!o.steps_file.empty() && o.strategy != "explicit")
        return usage("--steps needs --strategy explicit", "drop it, or pass --strategy explicit");
    auto const asks = asks_model(o.strategy);
    if (!asks) return asks.error();
    if (auto wrong = fault_of_model(o)) return wrong;
    if (!o.trace_file.empty()) {
        if (!o.trace_file.ends_with(".jsonl") && !o.trace_file.ends_with(".json"))
            return usage("--trace cannot tell the format from the file name '" + o.trace_file + "'",
                         "name it FILE.jsonl or FILE.json (for Chrome and Perfetto)");
        if (!o.declare_file.empty())
            return usage("--trace records a tuning run, but --declare ends before tuning starts",
                         "drop one of the two");
    }
    if (o.launches < 6 || o.launches > 10'000)
        return usage("--launches must be 6 to 10000: a confidence interval needs at least six");
    for (auto const& [option, limit, may_be_0] :
         {std::tuple("--compile-limit", o.compile_limit_s, false),
          std::tuple("--launch-limit", o.launch_limit_s, false),
          std::tuple("--checked-time", o.checked_time_s, true)})
        if (auto wrong = lkt_apps::limit_fault(usage_code, option, limit, may_be_0)) return wrong;
    if (auto wrong = lkt_apps::test_memory_fault(usage_code, o.test_memory_gib)) return wrong;
    if (o.ignore_stored && o.store.empty())
        return usage("--ignore-stored needs --store FOLDER", "drop it, or pass --store FOLDER");
    if (o.examples > 8) return usage("--examples must be 0 to 8");
    for (std::string const& file :
         {o.kernel_file, o.problem_file, o.script_file, o.oracle_file, o.steps_file})
        if (o.resume_folder.empty() && !file.empty() && ::access(file.c_str(), F_OK) != 0)
            if (auto const read = lkt::read_text_file(file); !read) return read.error();
    return std::nullopt;
}

std::optional<lkt::error> misplaced(boost::program_options::variables_map const& seen,
                                    options const& o) {
    if (o.operations.empty() && !seen["jobs"].defaulted())
        return usage("--jobs needs --operations", "drop it, or pass --operations FOLDER");
    bool const server = lkt_apps::is_on_server(o.model);
    for (char const* const limit : {"timeout-first-byte",
                                    "timeout-idle",
                                    "timeout-total",
                                    "fallback",
                                    "reviewer",
                                    "cache",
                                    "temperature",
                                    "max-tokens",
                                    "effort",
                                    "requests-per-minute"})
        if (!server && lkt_apps::was_given(seen, limit))
            return usage(std::string("--") + limit + " needs a model on a server",
                         "drop it, or pass --model PROVIDER:MODEL (see --help)");
    return std::nullopt;
}

} // namespace lkt_tune
