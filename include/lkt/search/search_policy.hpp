// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>
#include <lkt/core/units.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <concepts>
#include <optional>

namespace lkt {

class search_space;

/// Which configuration to try next: ask and tell. `tell` gets no time for one that failed.
/// `start` is called once before the first `ask`; `ask` returns nothing when the search is over.
template <class P>
concept search_policy =
    requires(P& p, search_space const& s, configuration const& c, std::optional<seconds> time) {
        { p.start(s) } -> std::same_as<void>;
        { p.ask() } -> std::same_as<std::optional<configuration>>;
        { p.tell(c, time) } -> std::same_as<void>;
    };

/// A policy that knows some of what it will ask for, whatever it is told: each call names another
/// of these configurations, in the order in which they will come, so that they are compiled ahead.
template <class P>
concept lookahead_policy = search_policy<P> && requires(P& p) {
    { p.next_known() } -> std::same_as<std::optional<configuration>>;
};

} // namespace lkt
