// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/graph/dsl.hpp>
#include <lkt/graph/graph.hpp>
#include <lkt/nodes/baseline.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <type_traits>
#include <variant>

namespace lkt {

/// A graph over a state with the documented fields: what the tuner runs.
template <class G>
concept tuning_strategy = requires {
    typename std::remove_cvref_t<decltype(G::graph)>::state_type;
    typename std::remove_cvref_t<decltype(G::graph)>::outcome;
    requires tuning_fields<typename std::remove_cvref_t<decltype(G::graph)>::state_type>;
    requires std::is_default_constructible_v<
        typename std::remove_cvref_t<decltype(G::graph)>::state_type>;
};

namespace detail {

/// The node with its terminals as the graph's own.
template <auto const& Node, class... Terminals>
constexpr auto passing_on(std::type_identity<std::variant<Terminals...>>) {
    return dsl::node<Node>(dsl::on<Terminals>(dsl::stop<Terminals>)...);
}

} // namespace detail

/// What a whole run does: tests, the original on them, its time, then the strategy.
template <tuning_strategy Strategy>
struct tuning_pipeline {
    static constexpr auto graph =
        lkt::graph<typename std::remove_cvref_t<decltype(Strategy::graph)>::state_type>(
            dsl::node<make_tests>(dsl::to(run_reference)),
            dsl::node<run_reference>(dsl::to(time_baseline)),
            dsl::node<time_baseline>(dsl::to(dsl::sub<Strategy>)),
            detail::passing_on<dsl::sub<Strategy>>(std::type_identity<outcome_of<Strategy>>{}));
};

} // namespace lkt
