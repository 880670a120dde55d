// SPDX-License-Identifier: BSL-1.0
#include "numbers.hpp"

#include "../common/backend.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace lkt_tune {
namespace {

namespace po = boost::program_options;

struct number_flag {
    char const* name;
    char const* what;
    int min, max;
    std::vector<std::pair<strategy_name, int*>> uses;

    [[nodiscard]] std::string strategies() const {
        std::string all;
        for (auto const& [strategy, value] : uses)
            all += (all.empty() ? "" : ", ") + std::string(spelling(strategy));
        return all;
    }
    /// `3`, or `3, of refine 2`.
    [[nodiscard]] std::string values() const {
        int const usual = *uses.front().second;
        std::string all = std::to_string(usual);
        for (auto const& [strategy, value] : uses)
            if (*value != usual)
                all += ", of " + std::string(spelling(strategy)) + " " + std::to_string(*value);
        return all;
    }
};

std::vector<number_flag> flags(strategy_numbers& n) {
    using enum strategy_name;
    return {
        {"attempts",
         "rewrites to ask for: one-prompt in all, the others of each step",
         1,
         1000,
         {{one_prompt, &n.attempts},
          {explicit_steps, &n.attempts},
          {autonomous, &n.attempts},
          {refine, &n.refine_attempts}}},
        {"replans",
         "plans to ask for after the first one",
         0,
         1000,
         {{autonomous, &n.planning.max_replans}}},
        {"breakdowns",
         "levels in which steps are broken down",
         0,
         5,
         {{autonomous, &n.planning.max_breakdowns}}},
        {"plan-length", "steps of a plan", 1, 1000, {{autonomous, &n.planning.plan_length}}},
        {"steps-at-most", "steps of all plans", 1, 100'000, {{autonomous, &n.planning.max_steps}}},
        {"samples", "replies to one request", 1, 1000, {{sample_n, &n.sample_n.samples}}},
        {"rounds", "changes that the judge names", 1, 10'000, {{refine, &n.refine.rounds}}},
        {"patience",
         "rounds or generations in a row that bring nothing, which end it",
         1,
         10'000,
         {{refine, &n.refine.patience}, {evolve, &n.evolve.patience}}},
        {"width", "kernels that are kept", 1, 1000, {{beam, &n.beam.width}}},
        {"depth", "levels", 1, 10'000, {{beam, &n.beam.depth}}},
        {"branches",
         "rewrites a level for each kernel that is kept",
         1,
         1000,
         {{beam, &n.beam.branches}}},
        {"generations", "how many", 1, 10'000, {{evolve, &n.evolve.generations}}},
        {"islands", "populations that live apart", 1, 100, {{evolve, &n.evolve.islands}}},
        {"population", "kernels of an island", 1, 1000, {{evolve, &n.evolve.population}}},
        {"children",
         "rewrites of an island in a generation",
         1,
         1000,
         {{evolve, &n.evolve.children}}},
        {"migration",
         "generations between two visits of the islands' best; 0: never",
         0,
         10'000,
         {{evolve, &n.evolve.migration}}},
        {"patches",
         "per cent of the rewrites that are asked for as patches",
         0,
         100,
         {{evolve, &n.evolve.patches}}},
        {"inspirations",
         "other kernels that a rewrite is shown",
         0,
         100,
         {{evolve, &n.evolve.inspirations}}},
    };
}

lkt::error usage(std::string message, std::string hint) {
    return lkt_apps::usage_error("lkt.tune.usage", std::move(message), std::move(hint));
}

} // namespace

void describe_numbers(po::options_description& to) {
    strategy_numbers defaults;
    for (number_flag const& f : flags(defaults)) {
        std::string const help = f.strategies() + ": " + f.what + " (default " + f.values() + ")";
        to.add_options()(f.name, po::value<int>()->value_name("N"), help.c_str());
    }
}

std::optional<lkt::error>
read_numbers(po::variables_map const& in, strategy_name strategy, strategy_numbers& numbers) {
    for (number_flag const& f : flags(numbers)) {
        if (!in.contains(f.name)) continue;
        std::string const flag = std::string("--") + f.name;
        auto const use = std::find_if(
            f.uses.begin(), f.uses.end(), [&](auto const& u) { return u.first == strategy; });
        if (use == f.uses.end())
            return usage(flag + " is for --strategy " + f.strategies() + ", and not for " +
                             std::string(spelling(strategy)),
                         "drop it, or ask for such a strategy");
        int const value = in[f.name].as<int>();
        if (value < f.min || value > f.max)
            return usage(flag + " must be " + std::to_string(f.min) + " to " +
                             std::to_string(f.max),
                         "the default is " + std::to_string(*use->second));
        *use->second = value;
    }
    return std::nullopt;
}

} // namespace lkt_tune
