// SPDX-License-Identifier: BSL-1.0
#include "asked_model.hpp"

#include "servers.hpp"

#include <lkt/llm/budgeted.hpp>
#include <lkt/llm/by_purpose.hpp>
#include <lkt/llm/circuit_breaker.hpp>
#include <lkt/llm/fallback.hpp>
#include <lkt/llm/mailbox.hpp>
#include <lkt/llm/rate_limited.hpp>
#include <lkt/llm/recorded.hpp>
#include <lkt/llm/replay.hpp>
#include <lkt/llm/without_thinking.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

namespace lkt_apps {
namespace {

constexpr std::string_view replay = "replay:", mail = "mailbox:";

/// What follows the prefix, if it is that and not empty.
std::string after(std::string const& spec, std::string_view prefix) {
    return spec.starts_with(prefix) ? spec.substr(prefix.size()) : std::string();
}

/// Whoever limits what is spent should not learn from the first call that nobody can count it.
std::optional<lkt::error> not_countable(std::string const& model, lkt::price_table const& prices) {
    if (prices.find(model)) return std::nullopt;
    return lkt::error{
        lkt::condition::rejected,
        "lkt.budget.no-price",
        "--max-cost needs a price, but neither lkt's list (" +
            std::string(lkt::price_table::month()) + ", " +
            std::string(lkt::price_table::source()) + ") nor --prices has one for `" + model + "`",
        "pass --prices FILE with {\"models\": {\"" + model.substr(0, model.find(" at ")) +
            "\": {\"input\": 1.0, \"output\": 5.0}}}, in USD per million tokens"};
}

/// The model on a server that `spec` names, with those that are asked where it fails; each draws on
/// one budget and one limit of requests.
lkt::result<lkt::any_chat_model> on_servers(std::string const& spec,
                                            asked_model::handling const& how,
                                            std::vector<std::string>& sources) {
    std::optional<lkt::budget> budget;
    if (how.max_cost || how.max_calls)
        budget.emplace(
            lkt::budget_limits{.calls = how.max_calls, .usd = how.max_cost, .prices = how.prices});
    std::optional<lkt::rate_limiter> limiter;
    if (how.requests_per_minute)
        limiter.emplace(lkt::rate_limits{.requests_per_minute = *how.requests_per_minute});
    auto const one = [&](std::string const& name) -> lkt::result<lkt::any_chat_model> {
        auto server = server_model(name, how.thinking, how.timeouts);
        if (!server) return server.error();
        auto model = std::move(*server);
        sources.push_back(model.description());
        if (how.max_cost)
            if (auto const unknown = not_countable(sources.back(), how.prices)) return *unknown;
        if (budget) model = lkt::budgeted{std::move(model), *budget};
        if (limiter) model = lkt::rate_limited{std::move(model), *limiter};
        return model;
    };
    auto whole = one(how.fallbacks.empty() ? spec : how.fallbacks.back());
    for (auto i = how.fallbacks.size(); whole && i > 0; --i) {
        auto before = one(i > 1 ? how.fallbacks[i - 2] : spec);
        if (!before) return before.error();
        whole = lkt::any_chat_model(
            lkt::fallback{lkt::circuit_breaker{std::move(*before)}, std::move(*whole)});
    }
    if (!whole || how.reviewer.empty()) return whole;
    auto reviewer = one(how.reviewer);
    if (!reviewer) return reviewer.error();
    return lkt::any_chat_model(lkt::by_purpose{std::move(*whole), std::move(*reviewer)});
}

} // namespace

std::string model_help() {
    std::string names;
    for (server_provider const& p : server_providers())
        names += (names.empty() ? "" : ", ") + p.name;
    return (names.empty() ? "this program was built without OpenSSL and asks no servers; "
                          : "PROVIDER:MODEL[@BASE_URL], a model on a server (" + names + "); ") +
           "replay:FILE, a recorded conversation; mailbox:FOLDER, files that anybody answers";
}

std::string_view to_string(reply_origin origin) {
    switch (origin) {
    case reply_origin::live:
        return "live";
    case reply_origin::recorded:
        return lkt::to_string(lkt::cassette_origin::recorded);
    case reply_origin::written_by_hand:
        return lkt::to_string(lkt::cassette_origin::written_by_hand);
    }
    return "unknown";
}

lkt::result<asked_model> asked_model::make(std::string const& spec, handling how) {
    asked_model made;
    made.time_ = how.time;
    if (auto const file = after(spec, replay); !file.empty()) {
        lkt::replay_model tape(file, {.given_before = how.given_before});
        if (auto const& defect = tape.defect()) return *defect;
        made.origin_ = tape.header().origin == lkt::cassette_origin::recorded
                           ? reply_origin::recorded
                           : reply_origin::written_by_hand;
        made.model_ = std::move(tape);
    } else if (made.folder_ = after(spec, mail); !made.folder_.empty()) {
        made.model_ = lkt::mailbox_model(
            made.folder_,
            {.model = "mailbox", .suspend = how.suspend, .on_question = how.on_question});
    } else {
        auto servers = on_servers(spec, how, made.sources_);
        if (!servers) return servers.error();
        made.model_ = std::move(*servers);
        how.thinking.clear(); // they take them out of their streams
        how.max_cost.reset(); // each is held to these
        how.max_calls.reset();
    }
    if (made.sources_.empty()) made.sources_ = {made.description()};
    if (!how.thinking.empty())
        made.model_ = lkt::without_thinking(std::move(made.model_), std::move(how.thinking));
    if (how.max_cost)
        if (auto const unknown = not_countable(made.description(), how.prices)) return *unknown;
    if (how.max_cost || how.max_calls)
        made.model_ = lkt::budgeted{
            std::move(made.model_),
            {.calls = how.max_calls, .usd = how.max_cost, .prices = std::move(how.prices)}};
    if (!how.cache.empty()) {
        lkt::cached kept{std::move(made.model_), how.cache, {.ignore_measured = true}};
        if (auto const defect = kept.defect()) return *defect;
        made.kept_ = [kept] { return kept.counters(); };
        made.model_ = std::move(kept);
    }
    if (how.record.empty()) return made;
    lkt::record_options tape_options;
    tape_options.match = lkt::replay_match::in_order; // its prompts hold measured times
    if (made.sources_.size() > 1) tape_options.model = made.description(); // several may answer
    lkt::recorded tape{made.model_, how.record, tape_options};
    if (auto const defect = tape.defect()) return *defect;
    made.model_ = std::move(tape);
    return made;
}

lkt::result<lkt::chat_reply> asked_model::complete(lkt::chat_request const& request,
                                                   lkt::call_context const& context) {
    time_limit::call const call(*time_, context);
    auto reply = model_.complete(request, call.context());
    if (!reply) return call.why(reply.error());
    return reply;
}

std::vector<lkt::result<lkt::chat_reply>>
asked_model::complete_all(std::span<lkt::chat_request const> requests,
                          lkt::call_context const& context) {
    std::vector<lkt::result<lkt::chat_reply>> replies;
    if (origin_ != reply_origin::live || !folder_.empty()) {
        for (lkt::chat_request const& r : requests) replies.push_back(complete(r, context));
        return replies;
    }
    time_limit::call const call(*time_, context);
    replies = model_.complete_all(requests, call.context());
    for (auto& reply : replies)
        if (!reply) reply = call.why(reply.error());
    return replies;
}

std::string asked_model::description() const { return model_.description(); }

std::optional<lkt::cache_counters> asked_model::cache_counters() const {
    if (!kept_) return std::nullopt;
    return kept_();
}

std::string const* asked_model::mailbox() const { return folder_.empty() ? nullptr : &folder_; }

} // namespace lkt_apps
