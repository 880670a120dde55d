// SPDX-License-Identifier: BSL-1.0
#include "run_model.hpp"

#include "errors.hpp"
#include "server_check.hpp"

#include "../common/output.hpp"
#include "../models/servers.hpp"

#include <lkt/core/string_tools.hpp>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

namespace lkt_tune {
namespace {

using namespace lkt_apps;

/// Before the first dollar is shown that comes from the library's list.
void say_whose_prices(lkt::price_table const& prices, asked_model const& model) {
    auto const is_listed = [&](std::string const& source) {
        auto const found = prices.look_up(source);
        return found && found->listed;
    };
    if (std::none_of(model.sources().begin(), model.sources().end(), is_listed)) return;
    std::fprintf(stderr,
                 "costs use the prices of %s, %s; --prices FILE replaces them\n",
                 std::string(lkt::price_table::month()).c_str(),
                 std::string(lkt::price_table::source()).c_str());
}

void say_question(std::string const& question, std::string const& answer) {
    say("a question waits in " + lkt::shell_word(question) + "; the reply goes to " +
        lkt::shell_word(answer));
}

/// What is to be asked, on servers.
std::vector<std::string> servers_of(options const& o) {
    if (!is_on_server(o.model)) return {};
    auto all = o.fallbacks;
    all.insert(all.begin(), o.model);
    if (!o.reviewer.empty()) all.push_back(o.reviewer);
    return all;
}

/// How many replies of its model the run that goes on has had; 0 where it goes on with another one.
std::uint64_t replies_before(std::optional<saved_run> const& saved,
                             std::vector<std::string> const& words) {
    auto const said = options_said(words);
    bool const another =
        std::any_of(said.begin(), said.end(), [](auto const& one) { return one.key == "model"; });
    return saved && !another ? saved->replies() : 0;
}

} // namespace

std::optional<lkt::error> model_missing(options const& o, bool asks) {
    bool const may_be_stored = !o.store.empty() && !o.ignore_stored;
    if (asks && o.model.empty() && o.declare_file.empty() && !may_be_stored)
        return usage("the strategy " + o.strategy + " needs a model",
                     "pass --model PROVIDER:MODEL (see --help), or use --strategy sweep, "
                     "which needs no model");
    for (std::string const& spec : servers_of(o))
        if (auto const facts = server_facts_of(spec); !facts) return facts.error();
    return std::nullopt;
}

std::optional<lkt::error> open_model(session& s, std::vector<std::string> const& words) {
    auto const& o = s.o;
    if (o.model.empty()) return std::nullopt;
    auto named = asked_model::make(o.model,
                                   {.record = o.record_file,
                                    .suspend = o.suspend,
                                    .on_question = o.quiet ? nullptr : say_question,
                                    .thinking = o.thinking,
                                    .timeouts = o.timeouts,
                                    .max_cost = o.max_cost,
                                    .max_calls = o.max_calls,
                                    .time = &s.time,
                                    .prices = s.prices,
                                    .fallbacks = o.fallbacks,
                                    .reviewer = o.reviewer,
                                    .requests_per_minute = o.requests_per_minute,
                                    .cache = o.reply_cache,
                                    .given_before = replies_before(s.saved, words)});
    if (!named) return named.error();
    s.model.emplace(std::move(*named));
    std::optional<heard_replies> kept;
    if (s.kernels) kept.emplace(s.saved ? std::optional(s.saved->journal()) : std::nullopt);
    s.heard.emplace(*s.model, o.sampling, s.its_turn(), std::move(kept));
    if (!o.quiet) say_whose_prices(s.prices, *s.model);
    // A run that goes on measures nothing that would be lost, and may need no reply any more.
    if (o.resume_folder.empty()) {
        auto const servers = check_servers(o, s.context());
        if (servers.missing) return servers.missing;
        if (s.stopped()) return std::nullopt;
        for (std::string const& warning : servers.warnings) say("warning: " + warning);
    }
    if (auto const* folder = s.model->mailbox(); folder != nullptr && !o.quiet)
        say("waiting for replies in " + *folder + ", beside the questions" +
            (s.saved ? ""
                     : "; a reply may be asked for again if this program is started again: "
                       "--journal FOLDER keeps the run"));
    return std::nullopt;
}

void say_what_was_kept(session const& s) {
    if (!s.model || s.o.quiet) return;
    if (auto const count = s.model->cache_counters())
        std::fprintf(stderr,
                     "%llu replies came from %s, %llu from the model\n",
                     static_cast<unsigned long long>(count->hits),
                     s.o.reply_cache.c_str(),
                     static_cast<unsigned long long>(count->misses));
}

lkt::result<named_models> name_models(options const& o) {
    named_models found;
    if (o.model.empty()) return found;
    if (!is_on_server(o.model)) {
        time_limit const none(std::nullopt);
        auto const model = asked_model::make(o.model, {.time = &none});
        if (!model) return model.error();
        found.sources = {model->description()};
        return found;
    }
    for (std::string const& spec : servers_of(o)) {
        auto const facts = server_facts_of(spec);
        if (!facts) return facts.error();
        found.sources.push_back(facts->description);
        if (!facts->missing_key.empty())
            found.missing.push_back(facts->missing_key +
                                    " is not set, so the model cannot be asked");
    }
    // Without its key no model is asked, whoever can be reached.
    if (!found.missing.empty()) return found;
    auto servers = check_servers(o, {});
    if (servers.missing) found.missing.push_back(to_string(*servers.missing));
    std::move(servers.warnings.begin(), servers.warnings.end(), std::back_inserter(found.missing));
    return found;
}

} // namespace lkt_tune
