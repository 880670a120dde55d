// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>
#include <lkt/core/units.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <vector>

namespace lkt {

class search_space;

/// Chooses which configuration to try next: ask and tell. `tell` gets no time for one that failed.
/// `start` is called once before the first `ask`; `ask` returns nothing when the search is over.
///
/// A policy that tries a share of the space also has `std::uint64_t most_of(std::uint64_t count)
/// const`: how many of a space of `count` configurations it asks for, at most. Only then may the
/// space have more than `evaluation_options::max_configurations`.
template <class P>
concept search_policy =
    requires(P& p, search_space const& s, configuration const& c, std::optional<seconds> time) {
        { p.start(s) } -> std::same_as<void>;
        { p.ask() } -> std::same_as<std::optional<configuration>>;
        { p.tell(c, time) } -> std::same_as<void>;
    };

/// A policy that can return many configurations before it is told any result: they are compiled
/// ahead, and judged side by side if the back end does that. It is told the result of each, in
/// their order. `ask(most)` returns at most `most`. If it returns none, it waits for results; if it
/// has all results, the search is over.
template <class P>
concept batch_search_policy = search_policy<P> && requires(P& p, std::size_t most) {
    { p.ask(most) } -> std::same_as<std::vector<configuration>>;
};

} // namespace lkt
