// SPDX-License-Identifier: BSL-1.0
// The library's catalogue of strategies on the command line: names, numbers, graphs.
#pragma once

#include <lkt/core/error.hpp>
#include <lkt/core/result.hpp>
#include <lkt/nodes/numbers.hpp>

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lkt_tune {

/// What a command line says of a strategy's numbers, by their names.
using said_numbers = std::map<std::string, int, std::less<>>;
/// The number of `sample_n` that a first kernel has, too.
inline constexpr std::string_view samples_name = "samples";

/// `one-prompt, autonomous, ...`
[[nodiscard]] std::string all_strategies();
/// A line or two for each.
[[nodiscard]] std::string strategies_text();
/// Errors (usage) name the strategies that there are.
[[nodiscard]] lkt::result<bool> asks_model(std::string_view strategy);
/// Whether it asks for reviews. Errors as `asks_model`.
[[nodiscard]] lkt::result<bool> asks_reviewer(std::string_view strategy);
/// Those that do.
[[nodiscard]] std::string reviewed_strategies();
/// Its graph as Mermaid, with every node that it can have. Errors as `asks_model`.
[[nodiscard]] lkt::result<std::string> picture(std::string_view strategy);

/// Adds a flag for each number; the help has the defaults.
void describe_numbers(boost::program_options::options_description_easy_init add);
/// Takes those that were given. Errors (usage): one that is out of range, or for another strategy;
/// `samples` is for each, where an operation's first kernel may have to be written.
[[nodiscard]] std::optional<lkt::error>
read_numbers(boost::program_options::variables_map const& in,
             std::string_view strategy,
             bool may_be_unwritten,
             said_numbers& numbers);

/// Gives a strategy the numbers that were said.
template <class Strategy>
void set_numbers(Strategy& strategy, said_numbers const& numbers) {
    lkt::for_each_number(strategy, [&](lkt::number const& n, int& value) {
        if (auto const said = numbers.find(n.name); said != numbers.end()) value = said->second;
    });
}

} // namespace lkt_tune
