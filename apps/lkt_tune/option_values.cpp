// SPDX-License-Identifier: BSL-1.0
#include "option_values.hpp"

#include "../common/backend.hpp"
#include "errors.hpp"
#include "limits.hpp"

#include <lkt/core/near_name.hpp>
#include <lkt/search/space.hpp>

#include <boost/program_options.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt_tune {
namespace {

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

lkt::result<lkt::log_level> level_called(std::string const& name) {
    for (auto level : {lkt::log_level::off,
                       lkt::log_level::error,
                       lkt::log_level::warning,
                       lkt::log_level::info,
                       lkt::log_level::debug})
        if (to_string(level) == name) return level;
    return unknown_value("--log", name, "off, error, warning, info, debug");
}

} // namespace

lkt::error unknown_value(char const* option, std::string const& given, char const* known) {
    return usage("unknown " + std::string(option) + " '" + given + "'" +
                     lkt::did_you_mean(given, known),
                 "known: " + std::string(known));
}

std::optional<lkt::error>
take_values(options& o, flags const& f, boost::program_options::variables_map const& seen) {
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
    if (auto wrong = lkt_apps::read_ptx(usage_code, f.ptx, o.ptx)) return *wrong;
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
    return std::nullopt;
}

} // namespace lkt_tune
