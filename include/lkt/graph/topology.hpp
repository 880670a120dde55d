// SPDX-License-Identifier: BSL-1.0
// A graph as constexpr arrays, and the twelve checks over them. Types became indices before this,
// so everything here is plain loops, linear in the edges but for the comparison of targets.
#pragma once

#include <lkt/graph/defect.hpp>
#include <lkt/graph/node.hpp>

#include <array>
#include <cstddef>
#include <limits>

namespace lkt::detail {

// A target is a node's index, or -1 - t for terminal t.
inline constexpr int no_target = std::numeric_limits<int>::min();
inline constexpr int condition_count = 6;

struct node_row {
    int first_edge = 0; ///< into `edges`, one edge an outcome
    int limit_clause = -1;
    int limit_to = no_target;
    int retry_clause = -1;
    std::array<int, condition_count> error_to{};
};

struct clause_place {
    int node = 0, clause = 0;
};

/// Nodes, Outcomes of all nodes together, Clauses of all nodes together.
template <int Nodes, int Outcomes, int Clauses>
struct topology {
    report verdict;
    bool poisoned = false;
    std::array<node_row, Nodes> rows{};
    std::array<int, Outcomes> edges{};
    int terminal_count = 0;
    std::array<clause_place, Clauses> terminals{}; ///< where each terminal's tag is first named

    constexpr int outcomes(int node) const {
        int const next = node + 1 < Nodes ? rows[index(node + 1)].first_edge : Outcomes;
        return next - rows[index(node)].first_edge;
    }
    constexpr int& edge(int node, int outcome) {
        return edges[index(rows[index(node)].first_edge + outcome)];
    }
    constexpr int edge(int node, int outcome) const {
        return edges[index(rows[index(node)].first_edge + outcome)];
    }
    static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }
};

/// The outcome of a node that a clause speaks of, -1 when the node has none such.
constexpr int outcome_of_clause(outcome_info const& outcome, clause_info const& clause) {
    switch (outcome.kind) {
    case outcome_kind::none:
        return -1;
    case outcome_kind::unit:
        return clause.type == id_of<void> ? 0 : -1;
    case outcome_kind::enumeration:
        if (clause.type != outcome.type) return -1;
        for (int i = 0; i < outcome.count; ++i)
            if (outcome.values[i] == clause.value) return i;
        return -1;
    case outcome_kind::tags:
        for (int i = 0; i < outcome.count; ++i)
            if (outcome.tags[i] == clause.type) return i;
        return -1;
    }
    return -1;
}

template <int Nodes, int Outcomes, int Clauses>
class analysis {
public:
    using node_list = std::array<node_info, Nodes>;

    constexpr explicit analysis(node_list const& nodes) : nodes_(nodes) {
        read_nodes();
        read_clauses();
        if (!map_.poisoned && map_.verdict) check_paths();
        if (map_.poisoned) map_.verdict = {};
    }
    constexpr topology<Nodes, Outcomes, Clauses> const& map() const { return map_; }

private:
    static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

    /// The most fundamental defect stays; of equal ones the first.
    constexpr void note(report r) {
        if (map_.verdict || r.kind < map_.verdict.kind) map_.verdict = r;
    }

    constexpr void read_nodes() {
        int edges = 0;
        for (int i = 0; i < Nodes; ++i) {
            auto const& node = nodes_[index(i)];
            auto& row = map_.rows[index(i)];
            row.first_edge = edges;
            edges += node.outcome.count;
            for (int& to : row.error_to) to = no_target;
            if (node.poisoned) map_.poisoned = true;
            if (!node.stateless) note({defect::stateful_node, i});
            for (int j = 0; j < i; ++j)
                if (nodes_[index(j)].callable == node.callable) note({defect::duplicate_node, i});
            if (!node.accepts_state) note({defect::wrong_state, i});
            if (node.unreadable_limit >= 0) note({defect::wrong_state, i, node.unreadable_limit});
            if (node.outcome.kind == outcome_kind::none) note({defect::outcome_with_data, i});
        }
        for (int& to : map_.edges) to = no_target;
    }

    constexpr void read_clauses() {
        for (int i = 0; i < Nodes; ++i) {
            for (int c = 0; c < nodes_[index(i)].clause_count; ++c) read_clause(i, c);
            for (int k = 0; k < nodes_[index(i)].outcome.count; ++k)
                if (map_.edge(i, k) == no_target) note({defect::missing_edge, i, -1, k});
        }
    }

    constexpr void read_clause(int i, int c) {
        auto const& node = nodes_[index(i)];
        auto const& clause = node.clauses[c];
        auto& row = map_.rows[index(i)];
        switch (clause.kind) {
        case clause_kind::absent:
            return;
        case clause_kind::poisoned:
            map_.poisoned = true;
            return;
        case clause_kind::outcome: {
            int const k = outcome_of_clause(node.outcome, clause);
            if (k < 0) return note({defect::foreign_outcome, i, c});
            return connect(map_.edge(i, k), i, c);
        }
        case clause_kind::error:
            if (!node.fallible) return note({defect::foreign_outcome, i, c});
            return connect(row.error_to[index(static_cast<int>(clause.value))], i, c);
        case clause_kind::limit:
            if (row.limit_clause >= 0) return note({defect::duplicate_limit, i, c});
            row.limit_clause = c;
            return connect(row.limit_to, i, c);
        case clause_kind::retry:
            if (!node.fallible) return note({defect::foreign_outcome, i, c});
            if (row.retry_clause >= 0) return note({defect::duplicate_edge, i, c});
            row.retry_clause = c;
            return;
        }
    }

    constexpr void connect(int& to, int i, int c) {
        if (to != no_target) return note({defect::duplicate_edge, i, c});
        auto const& clause = nodes_[index(i)].clauses[c];
        if (clause.stops) {
            if (clause.tag_has_data) note({defect::outcome_with_data, i, c});
            to = -1 - terminal(clause.target, i, c);
            return;
        }
        for (int j = 0; j < Nodes && to == no_target; ++j)
            if (nodes_[index(j)].callable == clause.target) to = j;
        if (to == no_target) note({defect::unknown_target, i, c});
    }

    constexpr int terminal(type_id tag, int i, int c) {
        for (int t = 0; t < map_.terminal_count; ++t) {
            auto const place = map_.terminals[index(t)];
            if (nodes_[index(place.node)].clauses[place.clause].target == tag) return t;
        }
        map_.terminals[index(map_.terminal_count)] = {i, c};
        return map_.terminal_count++;
    }

    // ------------------------------------------------------------------------------- paths
    // The edges of a node by number: its outcomes, its failures, its limit.
    constexpr int edge_count(int i) const { return map_.outcomes(i) + condition_count + 1; }
    constexpr int any_edge(int i, int k) const {
        int const outcomes = map_.outcomes(i);
        auto const& row = map_.rows[index(i)];
        if (k < outcomes) return map_.edge(i, k);
        if (k < outcomes + condition_count) return row.error_to[index(k - outcomes)];
        return row.limit_to;
    }

    constexpr void check_paths() {
        mark_reachable();
        for (int i = 0; i < Nodes; ++i)
            if (!mark_[index(i)]) return note({defect::unreachable_node, i});
        mark_exits();
        for (int i = 0; i < Nodes; ++i)
            if (!mark_[index(i)]) return note({defect::no_way_out, i});
        int const looping = node_on_endless_path();
        if (looping >= 0) note({defect::unbounded_loop, looping});
    }

    constexpr void mark_reachable() {
        std::array<int, Nodes> open{};
        int count = 0;
        auto const reach = [&](int i) {
            if (i < 0 || mark_[index(i)]) return;
            mark_[index(i)] = true;
            open[index(count++)] = i;
        };
        reach(0);
        while (count > 0) {
            int const i = open[index(--count)];
            for (int k = 0; k < edge_count(i); ++k) reach(any_edge(i, k));
        }
    }

    constexpr void mark_exits() {
        mark_ = {};
        for (bool more = true; more;) {
            more = false;
            for (int i = Nodes - 1; i >= 0; --i) {
                if (mark_[index(i)]) continue;
                for (int k = 0; k < edge_count(i) && !mark_[index(i)]; ++k) {
                    int const to = any_edge(i, k);
                    if (to != no_target && (to < 0 || mark_[index(to)]))
                        mark_[index(i)] = more = true;
                }
            }
        }
    }

    /// In a run that never ended, each limited node would at last have had its visits and from then
    /// on be left through its limit's edge alone. So there is no such run exactly when this graph
    /// has no cycle: limited nodes with their limit's edge, the others with all their edges.
    constexpr int node_on_endless_path() const {
        std::array<int, Nodes> next_edge{}; // 0: untouched; else 1 + the next edge to follow
        std::array<bool, Nodes> closed{};
        std::array<int, Nodes> path{};
        for (int start = 0; start < Nodes; ++start) {
            if (next_edge[index(start)] > 0) continue;
            int depth = 0;
            path[0] = start;
            next_edge[index(start)] = 1;
            while (depth >= 0) {
                int const i = path[index(depth)];
                bool const limited = map_.rows[index(i)].limit_clause >= 0;
                int const last = edge_count(i);
                int& cursor = next_edge[index(i)];
                if (limited && cursor < last) cursor = last; // its last edge is the limit's
                if (cursor > last) {
                    closed[index(i)] = true;
                    --depth;
                    continue;
                }
                int const to = any_edge(i, cursor - 1);
                ++cursor;
                if (to < 0 || closed[index(to)]) continue;
                if (next_edge[index(to)] > 0) return to;
                next_edge[index(to)] = 1;
                path[index(++depth)] = to;
            }
        }
        return -1;
    }

    node_list const& nodes_;
    topology<Nodes, Outcomes, Clauses> map_;
    std::array<bool, Nodes> mark_{};
};

} // namespace lkt::detail
