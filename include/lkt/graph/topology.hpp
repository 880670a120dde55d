// SPDX-License-Identifier: BSL-1.0
// A graph as constexpr arrays, and the thirteen checks over them. Types became indices before this,
// so everything here is plain loops, linear in the edges.
#pragma once

#include <lkt/graph/defect.hpp>
#include <lkt/graph/node.hpp>

#include <array>
#include <cstddef>

namespace lkt::detail {

inline constexpr int condition_count = 6;

struct node_row {
    int first_edge = 0; ///< into `edges`, one edge an outcome
    int limit_clause = -1;
    int limit_to = no_target;
    int retry_clause = -1;
    std::array<int, condition_count> error_to{};
};

/// The size is that of the nodes, and of the outcomes of all nodes together.
template <int Nodes, int Outcomes>
struct topology {
    report verdict;
    bool poisoned = false;
    std::array<node_row, Nodes> rows{};
    std::array<int, Outcomes> edges{};

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

template <int Nodes, int Outcomes, int Clauses>
class analysis {
public:
    using node_list = std::array<node_info, Nodes>;
    using clause_list = std::array<clause_info, Clauses>; // node after node

    constexpr analysis(node_list const& nodes, clause_list const& clauses)
        : nodes_(nodes), clauses_(clauses) {
        read_nodes();
        read_clauses();
        if (!map_.poisoned && map_.verdict) check_paths();
        if (map_.poisoned) map_.verdict = {};
    }
    constexpr topology<Nodes, Outcomes> const& map() const { return map_; }

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
            edges += node.outcomes;
            for (int& to : row.error_to) to = no_target;
            if (node.poisoned) map_.poisoned = true;
            if (!node.stateless) note({defect::stateful_node, i});
            if (node.first_duplicate != i) note({defect::duplicate_node, i});
            if (!node.accepts_state) note({defect::wrong_state, i});
            if (node.takes_copy) note({defect::state_by_value, i});
            if (!node.outcome_valid) note({defect::outcome_with_data, i});
        }
        for (int& to : map_.edges) to = no_target;
    }

    constexpr void read_clauses() {
        int at = 0;
        for (int i = 0; i < Nodes; ++i) {
            auto const& node = nodes_[index(i)];
            for (int c = 0; c < node.clauses; ++c) read_clause(i, c, clauses_[index(at++)]);
            for (int k = 0; k < node.outcomes; ++k)
                if (map_.edge(i, k) == no_target) note({defect::missing_edge, i, -1, k});
        }
    }

    constexpr void read_clause(int i, int c, clause_info const& clause) {
        auto const& node = nodes_[index(i)];
        auto& row = map_.rows[index(i)];
        switch (clause.kind) {
        case clause_kind::absent:
            return;
        case clause_kind::poisoned:
            map_.poisoned = true;
            return;
        case clause_kind::outcome:
            if (clause.slot < 0) return note({defect::foreign_outcome, i, c});
            return connect(map_.edge(i, clause.slot), i, c, clause);
        case clause_kind::every_outcome:
            for (int k = 0; k < node.outcomes; ++k) connect(map_.edge(i, k), i, c, clause);
            return;
        case clause_kind::error:
            if (!node.fallible) return note({defect::foreign_outcome, i, c});
            return connect(row.error_to[index(clause.slot)], i, c, clause);
        case clause_kind::limit:
            if (!clause.readable) note({defect::wrong_state, i, c});
            if (row.limit_clause >= 0) return note({defect::duplicate_limit, i, c});
            row.limit_clause = c;
            return connect(row.limit_to, i, c, clause);
        case clause_kind::retry:
            if (!node.fallible) return note({defect::foreign_outcome, i, c});
            if (row.retry_clause >= 0) return note({defect::duplicate_edge, i, c});
            row.retry_clause = c;
            return;
        }
    }

    constexpr void connect(int& to, int i, int c, clause_info const& clause) {
        if (to != no_target) return note({defect::duplicate_edge, i, c});
        if (clause.tag_has_data) note({defect::outcome_with_data, i, c});
        if (clause.target == no_target) note({defect::unknown_target, i, c});
        to = clause.target;
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

    /// In an endless run, each limited node would eventually use up its visits and then be left
    /// only through its limit's edge. So there is no such run exactly when this graph has no cycle:
    /// limited nodes with their limit's edge, the others with all their edges.
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
    clause_list const& clauses_;
    topology<Nodes, Outcomes> map_;
    std::array<bool, Nodes> mark_{};
};

} // namespace lkt::detail
