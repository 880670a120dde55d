// SPDX-License-Identifier: BSL-1.0
#include "server_check.hpp"

#include "../models/servers.hpp"

#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

namespace lkt_tune {

server_check check_servers(options const& o, lkt::call_context const& context) {
    server_check found;
    if (!lkt_apps::is_on_server(o.model)) return found;
    std::map<std::string, std::optional<lkt::error>> known; // by address
    auto const fault = [&](std::string const& option,
                           std::string const& spec) -> std::optional<lkt::error> {
        auto const facts = lkt_apps::server_facts_of(spec);
        if (!facts) return facts.error();
        auto at = known.find(facts->base_url);
        if (at == known.end())
            at = known.emplace(facts->base_url, lkt_apps::unreachable(spec, context)).first;
        if (!at->second) return std::nullopt;
        auto why = *at->second;
        if (why.kind != lkt::condition::cancelled)
            why.message = "the server of " + option + " " + spec.substr(0, spec.rfind("@http")) +
                          " (" + facts->base_url + ") cannot be used: " + why.message;
        if (why.hint.ends_with("the base URL"))
            why.hint += ", as in " + option + " openai:MODEL@http://HOST:PORT/v1";
        return why;
    };
    std::vector<lkt::error> faults;
    if (auto why = fault("--model", o.model)) faults.push_back(std::move(*why));
    for (std::string const& other : o.fallbacks)
        if (auto why = fault("--fallback", other)) faults.push_back(std::move(*why));
    bool const none = faults.size() > o.fallbacks.size();
    if (none) found.missing = faults.front();
    for (std::size_t k = none ? 1 : 0; k < faults.size(); ++k)
        found.warnings.push_back(to_string(faults[k]));
    if (!o.reviewer.empty())
        if (auto why = fault("--reviewer", o.reviewer)) {
            if (found.missing)
                found.warnings.push_back(to_string(*why));
            else
                found.missing = std::move(*why);
        }
    std::error_code unreadable;
    bool const kept = !o.reply_cache.empty() &&
                      std::filesystem::is_directory(o.reply_cache, unreadable) &&
                      !std::filesystem::is_empty(o.reply_cache, unreadable) && !unreadable;
    if (kept && found.missing && found.missing->kind != lkt::condition::cancelled) {
        found.warnings.insert(found.warnings.begin(),
                              to_string(*found.missing) + "\n  the replies in " + o.reply_cache +
                                  " are used as far as they go");
        found.missing.reset();
    }
    return found;
}

} // namespace lkt_tune
