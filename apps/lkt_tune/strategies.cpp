// SPDX-License-Identifier: BSL-1.0
#include "strategies.hpp"

#include "errors.hpp"

#include "../common/help.hpp"

#include <lkt/graph/mermaid.hpp>
#include <lkt/strategies/catalogue.hpp>
#include <lkt/tuner/pipeline.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace lkt_tune {
namespace {

namespace po = boost::program_options;

/// A number of one strategy, with its default.
struct number_use {
    std::string_view strategy;
    lkt::number what;
    int usual = 0;
};
/// The numbers of one name.
struct number_flag {
    std::string name; // as the library spells it
    std::vector<number_use> uses;

    [[nodiscard]] std::string spelling() const {
        std::string flag = name;
        std::replace(flag.begin(), flag.end(), '_', '-');
        return flag;
    }
    [[nodiscard]] std::string strategies() const {
        std::string all;
        for (number_use const& u : uses) all += (all.empty() ? "" : ", ") + std::string(u.strategy);
        return all;
    }
    /// `3`, or `3, of refine 2`.
    [[nodiscard]] std::string values() const {
        int const usual = uses.front().usual;
        std::string all = std::to_string(usual);
        for (number_use const& u : uses)
            if (u.usual != usual)
                all += ", of " + std::string(u.strategy) + " " + std::to_string(u.usual);
        return all;
    }
    /// What it says, of each strategy where that differs.
    [[nodiscard]] std::string help() const {
        std::string text;
        for (auto u = uses.begin(); u != uses.end();) {
            std::string names(u->strategy);
            auto const& what = u->what.what;
            for (++u; u != uses.end() && u->what.what == what; ++u)
                names += ", " + std::string(u->strategy);
            text += (text.empty() ? "" : "; ") + names + ": " + std::string(what);
        }
        bool const of_first = name == samples_name;
        return text + (of_first ? "; also for an operation's first kernel" : "") + " (default " +
               values() + (of_first ? ", there 1)" : ")");
    }
};

std::vector<number_flag> number_flags() {
    std::vector<number_flag> all;
    boost::hana::for_each(lkt::catalogue, [&](auto const& entry) {
        auto const strategy = entry.make();
        lkt::for_each_number(strategy, [&](lkt::number const& n, int usual) {
            auto at = std::find_if(
                all.begin(), all.end(), [&](number_flag const& f) { return f.name == n.name; });
            if (at == all.end()) at = all.insert(all.end(), {std::string(n.name), {}});
            at->uses.push_back({entry.name, n, usual});
        });
    });
    return all;
}

/// What `call(entry)` returns for the strategy of that name.
template <class T, class Call>
lkt::result<T> of_entry(std::string_view strategy, Call call) {
    T value{};
    auto const known =
        lkt::with_entry(lkt::catalogue, strategy, [&](auto const& entry) { value = call(entry); });
    if (!known) return usage(known.error().message, known.error().hint);
    return value;
}

} // namespace

std::string all_strategies() { return lkt::names_in(lkt::catalogue); }

std::string strategies_text() {
    std::string text = "Strategies:\n";
    boost::hana::for_each(lkt::catalogue, [&](auto const& entry) {
        text += lkt_apps::entry_text(entry.name, entry.about);
    });
    return text;
}

lkt::result<bool> asks_model(std::string_view strategy) {
    return of_entry<bool>(strategy, [](auto const& entry) -> bool { return entry.asks_model; });
}

lkt::result<bool> asks_reviewer(std::string_view strategy) {
    return of_entry<bool>(strategy, []<class Entry>(Entry const&) -> bool {
        return lkt::asks_reviewer<typename Entry::strategy>;
    });
}

std::string reviewed_strategies() {
    std::string names;
    boost::hana::for_each(lkt::catalogue, [&]<class Entry>(Entry const& entry) {
        if constexpr (lkt::asks_reviewer<typename Entry::strategy>)
            names += (names.empty() ? "" : ", ") + std::string(entry.name);
    });
    return names;
}

lkt::result<std::string> picture(std::string_view strategy) {
    return of_entry<std::string>(strategy, []<class Entry>(Entry const&) {
        return lkt::to_mermaid<typename Entry::strategy>();
    });
}

void describe_numbers(po::options_description_easy_init add) {
    for (number_flag const& f : number_flags())
        add(f.spelling().c_str(), po::value<int>()->value_name("N"), f.help().c_str());
}

std::optional<lkt::error> read_numbers(po::variables_map const& in,
                                       std::string_view strategy,
                                       bool may_be_unwritten,
                                       said_numbers& numbers) {
    for (number_flag const& f : number_flags()) {
        std::string const name = f.spelling();
        if (!in.contains(name)) continue;
        auto const use = std::find_if(f.uses.begin(), f.uses.end(), [&](number_use const& u) {
            return u.strategy == strategy;
        });
        // A first kernel is asked for whatever strategy comes after it.
        auto const& range = use == f.uses.end() ? f.uses.front() : *use;
        if (use == f.uses.end() && !(f.name == samples_name && may_be_unwritten))
            return usage("--" + name + " is an option of --strategy " + f.strategies() +
                             ", not of " + std::string(strategy),
                         "drop it, or choose such a strategy");
        int const value = in[name].as<int>();
        if (value < range.what.min || value > range.what.max)
            return usage("--" + name + " must be " + std::to_string(range.what.min) + " to " +
                             std::to_string(range.what.max),
                         "the default is " + std::to_string(range.usual));
        numbers[f.name] = value;
    }
    return std::nullopt;
}

} // namespace lkt_tune
