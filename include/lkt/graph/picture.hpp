// SPDX-License-Identifier: BSL-1.0
// A strategy as plain data, read from the same tables that run it. Pictures are written from this.
#pragma once

#include <lkt/core/error.hpp>
#include <lkt/core/outcome.hpp>
#include <lkt/graph/graph.hpp>
#include <lkt/graph/observe.hpp>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace lkt {

/// A graph to be drawn; nested graphs are inside of their nodes.
struct picture {
    struct node {
        std::string name;
        bool retries = false;
        std::vector<picture> nested; ///< none, or the one graph that this node runs
    };
    struct edge {
        int from = 0;    ///< index of a node
        int to = 0;      ///< index of a node, or -1 - t for terminal t
        int outcome = 0; ///< index of the node's outcome: for a nested graph its terminal
        edge_kind kind = edge_kind::outcome;
        std::string label; ///< empty for the only edge of a node that returns `void`
    };
    std::string name;
    std::vector<node> nodes; ///< the entry first
    std::vector<edge> edges;
    std::vector<std::string> terminals;
};

namespace detail {

/// Of a number in a member of a member the last one's name.
template <auto Source, class Target, auto... Inner>
std::string limit_label(std::type_identity<clauses::limit<Source, Target, Inner...>>) {
    if constexpr (std::is_member_pointer_v<decltype(Source)>) {
        std::string_view name = pointee_name<Source>;
        (void)((name = pointee_name<Inner>), ...);
        return "after " + std::string(name) + " visits";
    } else if constexpr (Source == 1) {
        return "after 1 visit";
    } else {
        return "after " + std::to_string(Source) + " visits";
    }
}

template <class G>
picture draw();

template <class G, int I>
void draw_node(picture& into) {
    using graph = graph_of<G>;
    using node = typename graph::template node<I>;
    using F = typename node::callable;
    constexpr node_row row = graph::map.rows[static_cast<std::size_t>(I)];

    picture::node drawn;
    drawn.name = graph::names[static_cast<std::size_t>(I)];
    drawn.retries = row.retry_clause >= 0;
    if constexpr (graph_node<F>) drawn.nested.push_back(draw<typename F::graph_type>());
    into.nodes.push_back(std::move(drawn));

    using outcomes = outcome_values<typename node_signature<F, state_of<G>>::outcome>;
    for (int k = 0; k < outcomes::count; ++k)
        into.edges.push_back({I,
                              graph::map.edge(I, k),
                              k,
                              edge_kind::outcome,
                              std::string(outcomes::names[static_cast<std::size_t>(k)])});
    for (int c = 0; c < condition_count; ++c)
        if (int const to = row.error_to[static_cast<std::size_t>(c)]; to != no_target)
            into.edges.push_back({I,
                                  to,
                                  c,
                                  edge_kind::error,
                                  "error: " + std::string(to_string(static_cast<condition>(c)))});
    if constexpr (row.limit_clause >= 0) {
        using limit = typename node::template clause<row.limit_clause>;
        into.edges.push_back(
            {I, row.limit_to, 0, edge_kind::limit, limit_label(std::type_identity<limit>{})});
    }
}

template <class G>
picture draw() {
    picture drawn;
    drawn.name = graph_name<G>;
    [&]<int... I>(std::integer_sequence<int, I...>) {
        (draw_node<G, I>(drawn), ...);
    }(std::make_integer_sequence<int, graph_of<G>::size>{});
    for (auto const name : outcome_values<outcome_of<G>>::names) drawn.terminals.emplace_back(name);
    return drawn;
}

/// Identifiers for languages of pictures: `n1` for a node, `t0` for a terminal, `n1_t0` inside of
/// the graph that node 1 runs; the prefix is that of the graph, `n1_` there.
[[nodiscard]] std::string picture_id(std::string const& prefix, int target);

/// The node's name, and that it tries again: `build (retries)`.
[[nodiscard]] std::string picture_label(picture::node const& node);

/// What an edge to the target points at: of a nested graph its entry.
[[nodiscard]] std::string picture_head(picture const& drawn, std::string const& prefix, int target);

} // namespace detail

/// The picture of strategy `G`.
template <class G>
[[nodiscard]] picture picture_of() {
    return detail::draw<G>();
}

} // namespace lkt
