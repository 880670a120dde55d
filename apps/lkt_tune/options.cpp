// SPDX-License-Identifier: BSL-1.0
#include "options.hpp"

#include "../common/backend.hpp"
#include "../common/command_line.hpp"
#include "../common/output.hpp"
#include "../common/parsing.hpp"
#include "../common/tests.hpp"
#include "limits.hpp"
#include "option_table.hpp"
#include "taken_over.hpp"

#include <lkt/core/files.hpp>
#include <lkt/core/near_name.hpp>
#include <lkt/nodes/default_steps.hpp>
#include <lkt/nodes/step_file.hpp>
#include <lkt/search/space.hpp>
#include <lkt/version.hpp>

#include <boost/program_options.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <utility>

#include <unistd.h>

namespace lkt_tune {
namespace {

namespace po = boost::program_options;

lkt::error usage(std::string message, std::string hint = "see lkt-tune --help") {
    return {lkt::condition::rejected, "lkt.tune.usage", std::move(message), std::move(hint)};
}

lkt::error unknown_value(char const* option, std::string const& given, char const* known) {
    return usage("unknown " + std::string(option) + " '" + given + "'" +
                     lkt::did_you_mean(given, known),
                 "known: " + std::string(known));
}

lkt::result<lkt::answer_mode> form_called(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    using enum lkt::answer_mode;
    for (auto mode : {automatic, native_schema, tool_call, json_object, separate_request, hybrid})
        if (to_string(mode) == name) return mode;
    return unknown_value(
        "--answers",
        name,
        "automatic, native-schema, tool-call, json-object, separate-request, hybrid");
}

lkt::result<std::vector<lkt::thinking_tags>> tags_called(std::vector<std::string> const& given) {
    std::vector<lkt::thinking_tags> tags;
    for (std::string const& pair : given) {
        auto const comma = pair.find(',');
        if (comma == pair.npos || pair.find(',', comma + 1) != pair.npos)
            return usage(
                "expected two texts with a comma between them after --thinking-tags, found '" +
                    pair + "'",
                "--thinking-tags '<reasoning>,</reasoning>'");
        tags.push_back({pair.substr(0, comma), pair.substr(comma + 1)});
    }
    if (auto const wrong = lkt::thinking_defect(tags))
        return usage("--thinking-tags: " + wrong->message, wrong->hint);
    return tags;
}

lkt::result<lkt::effort> effort_called(std::string const& name) {
    for (auto const e :
         {lkt::effort::none, lkt::effort::low, lkt::effort::medium, lkt::effort::high})
        if (to_string(e) == name) return e;
    return unknown_value("--effort", name, "none, low, medium, high");
}

lkt::result<lkt::profiling> profiling_called(std::string const& name) {
    if (name == "automatic") return lkt::profiling::automatic;
    if (name == "always") return lkt::profiling::always;
    if (name == "never") return lkt::profiling::never;
    return unknown_value("--profile", name, "automatic, always, never");
}

lkt::result<lkt::sync_policy> policy_called(std::string const& name) {
    if (name == "each") return lkt::sync_policy::each;
    if (name == "interval") return lkt::sync_policy::interval;
    if (name == "exit") return lkt::sync_policy::exit;
    return unknown_value("--journal-sync", name, "each, interval, exit");
}

/// `95%`, `95`: of the roof.
lkt::result<double> share_called(std::string const& text) {
    std::string_view number = text;
    if (number.ends_with('%')) number.remove_suffix(1);
    double percent = -1;
    auto const [end, failed] = std::from_chars(
        number.data(), number.data() + number.size(), percent, std::chars_format::fixed);
    if (failed == std::errc{} && end == number.data() + number.size() && percent >= 0 &&
        percent <= 200)
        return percent / 100;
    return usage("--until-roof '" + text + "' is not a percentage, 0 to 200", "--until-roof 95%");
}

/// `200`: so many configurations; `10%`: that share of them.
lkt::result<lkt::search_budget> budget_of(std::string const& text) {
    std::string_view number = text;
    bool const share = number.ends_with('%');
    if (share) number.remove_suffix(1);
    auto const* const end = number.data() + number.size();
    double percent = 0;
    std::uint64_t count = 0;
    auto const [last, failed] =
        share ? std::from_chars(number.data(), end, percent, std::chars_format::fixed)
              : std::from_chars(number.data(), end, count);
    if (failed == std::errc{} && last == end) {
        if (share && percent > 0 && percent <= 100)
            return lkt::search_budget{.share = percent / 100};
        if (!share && count >= 1 && count <= lkt::space_limits{}.configurations)
            return lkt::search_budget{.configurations = count};
    }
    return usage("--budget '" + text +
                     "' is neither a number of configurations, 1 to 1000000, nor a percentage "
                     "above 0",
                 "for example --budget 200 or --budget 10%");
}

/// What a run cannot change on the way: the first of these that is given to one that goes on.
std::optional<lkt::error> unchangeable(std::vector<po::option> const& given) {
    constexpr std::string_view fixed[] = {
        "kernel-file", "problem",   "torch",   "oracle",    "script",     "kernel",
        "size",        "also-size", "arg",     "tune",      "restrict",   "grid",
        "block",       "shared",    "flops",   "strategy",  "steps",      "seed",
        "test-memory", "declare",   "journal", "ask-tests", "operations", "ask-script"};
    for (po::option const& one : given)
        if (std::find(std::begin(fixed), std::end(fixed), one.string_key) != std::end(fixed))
            return usage("a resumed run cannot change --" + one.string_key,
                         "drop it, or start a new run with --journal");
    return std::nullopt;
}

/// A resumed run enters the folder where it began, but the files of this command line are meant
/// where it is said.
void belong_here(std::vector<po::option>& given) {
    auto const here = [](std::string const& name) {
        std::error_code failed;
        auto const path = std::filesystem::absolute(name, failed);
        return name.empty() || name == "-" || failed ? name : path.string();
    };
    for (po::option& one : given)
        for (std::string& value : one.value) {
            if (std::find(std::begin(places), std::end(places), one.string_key) != std::end(places))
                value = here(value);
            for (std::string_view const place : {"replay:", "mailbox:"})
                if (one.string_key == "model" && value.starts_with(place))
                    value = std::string(place) + here(value.substr(place.size()));
        }
}

lkt::result<lkt::log_level> level_called(std::string const& name) {
    for (auto level : {lkt::log_level::off,
                       lkt::log_level::error,
                       lkt::log_level::warning,
                       lkt::log_level::info,
                       lkt::log_level::debug})
        if (to_string(level) == name) return level;
    return unknown_value("--log", name, "off, error, warning, info, debug");
}

/// Of a batch; what its operations are given is checked with the first of them.
std::optional<lkt::error> inconsistency_of_batch(options const& o) {
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

std::optional<lkt::error> inconsistency(options const& o) {
    if (!o.operations.empty()) return inconsistency_of_batch(o);
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
    if (!o.kernel_file.empty() && !o.problem_file.empty())
        return usage("give either a kernel file or a problem file, not both",
                     "drop one of the two; the problem file names its kernel");
    if ((!o.problem_file.empty() || !o.torch_module.empty()) &&
        !(o.sizes.empty() && o.also_sizes.empty() && o.arguments.empty() && o.parameters.empty() &&
          o.restrictions.empty() && o.grid.empty() && o.block.empty() && o.shared.empty() &&
          o.flops.empty()))
        return usage(
            "the problem file replaces --size, --arg, --tune, --restrict, --grid, --block, "
            "--shared and --flops",
            "change the problem file, or give the kernel file instead");
    if (!o.language.empty() && !language_called(o.language))
        return unknown_value("--language", o.language, "cuda, hip, wgsl");
    if (!o.language.empty() && o.problem_file.empty() && o.torch_module.empty())
        return usage("--language is for operations",
                     "drop it, or pass --problem FILE or --torch FILE.py:CLASS");
    if (auto wrong = lkt_apps::backend_fault("lkt.tune.usage", o.backend, o.device)) return *wrong;
    if (o.no_sanitize && o.backend != "cuda" && o.backend != "auto")
        return usage("--no-sanitize needs --backend cuda",
                     "drop it: compute-sanitizer is for CUDA alone");
    if (!o.steps_file.empty() && o.strategy != "explicit")
        return usage("--steps needs --strategy explicit", "drop it, or pass --strategy explicit");
    auto const asks = asks_model(o.strategy);
    if (!asks) return asks.error();
    if (o.context_tokens != 0 && o.context_tokens < 1024)
        return usage("--context-tokens must be at least 1024",
                     "leave it out if you do not know it");
    for (auto i = o.fallbacks.begin(); i != o.fallbacks.end(); ++i) {
        if (i->starts_with("replay:") || i->starts_with("mailbox:"))
            return usage("--fallback needs a model on a server; '" + *i + "' is not one",
                         "pass --fallback PROVIDER:MODEL (see --help)");
        if (*i == o.model || std::find(o.fallbacks.begin(), i, *i) != i)
            return usage("--fallback names '" + *i + "' twice, or repeats --model",
                         "name another model");
    }
    if (!o.reviewer.empty()) {
        if (o.reviewer.starts_with("replay:") || o.reviewer.starts_with("mailbox:"))
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
    if (!(o.compile_limit_s > 0 && o.compile_limit_s <= 86'400) ||
        !(o.launch_limit_s > 0 && o.launch_limit_s <= 86'400) ||
        !(o.checked_time_s >= 0 && o.checked_time_s <= 86'400))
        return usage(
            "--compile-limit and --launch-limit must be above 0 and at most 86400 seconds");
    if (auto wrong = lkt_apps::test_memory_fault("lkt.tune.usage", o.test_memory_gib)) return wrong;
    if (o.ignore_stored && o.store.empty())
        return usage("--ignore-stored needs --store FOLDER", "drop it, or pass --store FOLDER");
    if (o.examples > 8) return usage("--examples must be 0 to 8");
    for (std::string const& file :
         {o.kernel_file, o.problem_file, o.script_file, o.oracle_file, o.steps_file})
        if (o.resume_folder.empty() && !file.empty() && ::access(file.c_str(), F_OK) != 0)
            if (auto const read = lkt::read_text_file(file); !read) return read.error();
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

po::parsed_options parse_words(po::options_description const& known,
                               std::vector<std::string> const& words) {
    po::positional_options_description plain;
    plain.add("kernel-file", 1);
    auto const style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    return po::command_line_parser(words).options(known).positional(plain).style(style).run();
}

} // namespace

std::vector<std::string> said_option::words() const {
    if (values.empty()) return {"--" + key};
    std::vector<std::string> all;
    for (std::string const& value : values) all.push_back("--" + key + "=" + value);
    return all;
}

std::vector<said_option> options_said(std::vector<std::string> const& words, bool here) {
    options o;
    flags f;
    auto const known = describe(o, f);
    auto given = parse_words(known, words).options;
    if (here) belong_here(given);
    std::vector<said_option> all;
    for (po::option const& one : given) {
        bool const is_switch = known.find(one.string_key, false).semantic()->max_tokens() == 0;
        all.push_back({one.string_key, is_switch ? std::vector<std::string>() : one.value});
    }
    return all;
}

lkt::result<expanded_words> with_config(std::vector<std::string> const& words) {
    options o;
    flags f;
    auto const known = describe(o, f);
    expanded_words made{words, std::nullopt};
    try {
        auto given = parse_words(known, words).options;
        auto const is_config = [](po::option const& one) { return one.string_key == "config"; };
        auto const at = std::find_if(given.begin(), given.end(), is_config);
        if (at == given.end() || at->value.front().empty()) return made;
        if (std::count_if(given.begin(), given.end(), is_config) > 1)
            return usage("--config is given twice", "put both into one file");
        auto file = config_file::read(at->value.front(), known);
        if (!file) return file.error();
        made.words.clear();
        for (po::option const& one : given)
            if (!is_config(one))
                made.words.insert(
                    made.words.end(), one.original_tokens.begin(), one.original_tokens.end());
        file->give_way_to(given);
        auto const more = file->words();
        made.words.insert(made.words.end(), more.begin(), more.end());
        made.file = std::move(*file);
    } catch (po::error const&) { // which parsing the words says, as of an empty name
    }
    return made;
}

lkt::result<std::variant<options, lkt_apps::information>>
parse_command_line(std::vector<std::string> const& words, std::vector<std::string> const& before) {
    using parsed = std::variant<options, lkt_apps::information>;
    options o;
    flags f;
    auto const known = describe(o, f);
    po::variables_map seen;
    try {
        auto given = parse_words(known, words);
        if (auto const wrong = lkt_apps::empty_name(given.options, known); !wrong.empty())
            return usage(wrong, lkt_apps::empty_name_hint);
        if (!before.empty()) belong_here(given.options);
        po::store(given, seen); // what is stored first counts
        if (seen.contains("resume"))
            if (auto wrong = unchangeable(given.options)) return *wrong;
        po::store(parse_words(known, before), seen);
        if (seen.contains("help")) return parsed(lkt_apps::information{help_text(known)});
        if (seen.contains("version"))
            return parsed(lkt_apps::information{"lkt-tune " + std::string(lkt::version) + "\n"});
        po::notify(seen);
    } catch (po::error const& e) {
        return usage(lkt_apps::parsing_fault(e, known));
    }
    if (!f.completion.empty()) {
        auto script = completion_text(known, f.completion);
        if (!script) return script.error();
        return parsed(lkt_apps::information{std::move(*script)});
    }
    if (!f.graph.empty()) {
        auto drawn = picture(f.graph);
        if (!drawn) return drawn.error();
        return parsed(lkt_apps::information{std::move(*drawn)});
    }
    if (f.default_steps)
        return parsed(lkt_apps::information{lkt::steps_text(lkt::default_steps())});
    o.strategy = f.strategy;
    if (auto const asks = asks_model(o.strategy); !asks) return asks.error();
    auto const form = form_called(f.answers);
    if (!form) return form.error();
    o.answers = *form;
    auto tags = tags_called(f.thinking);
    if (!tags) return tags.error();
    o.thinking = std::move(*tags);
    auto const when = profiling_called(f.profile);
    if (!when) return when.error();
    o.profile = *when;
    if (auto wrong = lkt_apps::read_ptx("lkt.tune.usage", f.ptx, o.ptx)) return *wrong;
    auto const level = level_called(f.log);
    if (!level) return level.error();
    o.log = *level;
    auto const policy = policy_called(f.sync);
    if (!policy) return policy.error();
    o.journal_sync = *policy;
    if (seen.contains("max-cost")) o.max_cost = f.max_cost;
    if (seen.contains("max-calls")) o.max_calls = f.max_calls;
    if (seen.contains("budget")) {
        auto const most = budget_of(f.budget);
        if (!most) return most.error();
        o.budget = *most;
    }
    auto const roof = share_called(f.until_roof);
    if (!roof) return roof.error();
    o.until_roof = *roof;
    if (seen.contains("max-time")) {
        auto const most = duration_of("--max-time", o.max_time_text);
        if (!most) return most.error();
        o.max_time = *most;
    }
    if (seen.contains("temperature")) {
        if (!(f.temperature >= 0 && f.temperature <= 2))
            return usage("--temperature must be 0 to 2", "--temperature 0.7");
        o.sampling.temperature = f.temperature;
    }
    if (seen.contains("max-tokens")) {
        if (f.max_tokens < 1) return usage("--max-tokens must be at least 1", "--max-tokens 16000");
        o.sampling.max_tokens = f.max_tokens;
    }
    if (seen.contains("effort")) {
        auto const level_of = effort_called(f.effort);
        if (!level_of) return level_of.error();
        o.sampling.effort = *level_of;
    }
    if (seen.contains("requests-per-minute")) o.requests_per_minute = f.requests_per_minute;
    o.timeouts.first_byte = lkt::seconds(f.first_byte_s);
    o.timeouts.idle = lkt::seconds(f.idle_s);
    o.timeouts.total = lkt::seconds(f.total_s);
    if (!o.resume_folder.empty() && (o.describe || o.dry_run))
        return usage("--describe and --dry-run are for new runs, not for --resume",
                     "drop --resume, and give the command line of the run");
    if (!o.resume_folder.empty() && before.empty()) return parsed(std::move(o));
    bool const may_be_unwritten =
        !o.problem_file.empty() || !o.torch_module.empty() || !o.operations.empty();
    if (auto wrong = read_numbers(seen, o.strategy, may_be_unwritten, o.numbers)) return *wrong;
    if (auto wrong = inconsistency(o)) return *wrong;
    if (o.operations.empty() && !seen["jobs"].defaulted())
        return usage("--jobs needs --operations", "drop it, or pass --operations FOLDER");
    bool const server =
        !o.model.empty() && !o.model.starts_with("replay:") && !o.model.starts_with("mailbox:");
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
    return parsed(std::move(o));
}

} // namespace lkt_tune
