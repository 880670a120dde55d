// SPDX-License-Identifier: BSL-1.0
// One class template a defect. `graph` instantiates exactly one of them, so that the compiler names
// the defect, the node and the offending part in a line, and says the sentence once.
#pragma once

#include <lkt/graph/node.hpp>
#include <lkt/graph/topology.hpp>

#include <type_traits>
#include <variant>

namespace lkt {

namespace diagnostic {

template <auto const& Node>
struct stateful_node {
    static_assert(
        detail::never<decltype(Node)>,
        "[lkt.graph.stateful-node] Node holds data (or is a plain function): keep data in "
        "the State, and write node<fn<&function>> for a function");
};
template <auto const& Node, auto const& Earlier>
struct duplicate_node {
    static_assert(detail::never<decltype(Node)>,
                  "[lkt.graph.duplicate-node] Node has the same type as the node Earlier: give "
                  "each node a type of its own");
};
template <auto const& Node, class State>
struct wrong_state {
    static_assert(detail::never<State>,
                  "[lkt.graph.wrong-state] Node cannot be called as node(State&) or node(State&, "
                  "tools): State lacks what Node names, or Node constrains its tools in the "
                  "signature");
};
template <auto const& Node, auto Limit, class State>
struct wrong_state_for_limit {
    static_assert(detail::never<State>,
                  "[lkt.graph.wrong-state] Node reads its limit from a member that State lacks or "
                  "that is not an integer");
};
template <auto const& Node, class State>
struct state_by_value {
    static_assert(detail::never<State>,
                  "[lkt.graph.state-by-value] Node takes its State by value, so its changes are "
                  "lost: take a State&");
};
template <auto const& Node, class Outcome>
struct outcome_with_data {
    static_assert(
        detail::never<Outcome>,
        "[lkt.graph.outcome-with-data] Outcome only names an edge: make it void, a scoped "
        "enum or a std::variant of empty tags, and put data into the State");
};
template <auto const& Node, class Clause>
struct duplicate_limit {
    static_assert(detail::never<Clause>,
                  "[lkt.graph.duplicate-limit] Node has two limit<...> clauses: keep one");
};
template <auto const& Node, class Clause>
struct foreign_outcome {
    static_assert(detail::never<Clause>,
                  "[lkt.graph.foreign-outcome] Node never returns what Clause handles (enumerators "
                  "count from 0 to 63; on_error and retrying are for "
                  "result<...>)");
};
template <auto const& Node, class Target>
struct unknown_target {
    static_assert(detail::never<Target>,
                  "[lkt.graph.unknown-target] Node has an edge to Target, but the graph has no "
                  "node<Target>(...)");
};
template <auto const& Node, class Clause>
struct duplicate_edge {
    static_assert(detail::never<Clause>,
                  "[lkt.graph.duplicate-edge] an earlier clause of Node handles what Clause "
                  "handles: keep one");
};
template <auto const& Node, auto Outcome>
struct missing_edge {
    static_assert(
        detail::never<decltype(Outcome)>,
        "[lkt.graph.missing-edge] Node can return Outcome, but has no on<Outcome>(...) for it");
};
template <auto const& Node, class Outcome>
struct missing_edge_for {
    static_assert(detail::never<Outcome>,
                  "[lkt.graph.missing-edge] Node can return Outcome, but has no on<Outcome>(...) "
                  "or to(...) for it");
};
template <auto const& Node>
struct unreachable_node {
    static_assert(detail::never<decltype(Node)>,
                  "[lkt.graph.unreachable-node] no path leads from the entry (the first node) to "
                  "Node");
};
template <auto const& Node>
struct no_way_out {
    static_assert(detail::never<decltype(Node)>,
                  "[lkt.graph.no-way-out] no path leads from Node to a stop<...>");
};
template <auto const& Node>
struct unbounded_loop {
    static_assert(detail::never<decltype(Node)>,
                  "[lkt.graph.unbounded-loop] Node can be visited forever: give a node of this "
                  "cycle a limit<N>(target) whose target leads out of the cycle");
};

// Misuse of the language itself, caught where it is written.
template <class Argument>
struct not_a_clause {
    static_assert(detail::never<Argument>,
                  "[lkt.graph.not-a-clause] node<callable>(...) takes clauses only: write "
                  "to(target) or on<outcome>(target) around the target Argument");
};
template <class Argument>
struct not_a_node {
    static_assert(detail::never<Argument>,
                  "[lkt.graph.not-a-node] graph<State>(...) takes only node<callable>(clauses...), "
                  "and Argument is not one");
};
template <class State>
struct empty_graph {
    static_assert(detail::never<State>, "[lkt.graph.empty] a graph needs at least one node");
};
template <class G>
struct not_a_graph {
    static_assert(detail::never<G>,
                  "[lkt.graph.not-a-graph] G is not a strategy: it needs a static member `graph` "
                  "made by lkt::graph<State>(...)");
};
template <class Policy>
struct retry_policy {
    static_assert(detail::never<Policy>,
                  "[lkt.graph.retry-policy] retrying<Policy>() takes a retry policy, which has "
                  "retry_delay next(condition, int attempt, retry_delay hint) const");
};
template <class Limit>
struct limit {
    static_assert(detail::never<Limit>,
                  "[lkt.graph.limit] limit<N>(target) takes an integer, or a pointer to a member "
                  "of the State that is or returns an integer, not a Limit");
};
template <class Member>
struct focus {
    static_assert(detail::never<Member>,
                  "[lkt.graph.focus] focus<&State::member>(node) takes a pointer to a data member, "
                  "not a Member");
};

// Misuse of `run`.
template <auto const& Node, class Tools>
struct tools {
    static_assert(detail::never<Tools>,
                  "[lkt.graph.tools] Node takes tools: pass run<G>(state, tools) tools that it "
                  "accepts and that do not change its return type");
};
template <class State, class GraphState>
struct run_state {
    static_assert(detail::never<State>,
                  "[lkt.graph.run-state] run<G>(state) needs the State of G as an lvalue, or a "
                  "class derived from it");
};
template <class Argument>
struct run_argument {
    static_assert(
        detail::never<Argument>,
        "[lkt.graph.run-argument] after the tools, run<G> takes a cursor<G>, observers, a "
        "std::stop_token, a waiter and a checkpointer, at most one of each, except observers");
};

} // namespace diagnostic

namespace detail {

/// The first of the types that does not have the property.
template <template <class> class Property, class... Ts>
struct first_without;
template <template <class> class Property, class T, class... Ts>
struct first_without<Property, T, Ts...> : std::conditional_t<Property<T>::value,
                                                              first_without<Property, Ts...>,
                                                              std::type_identity<T>> {};
template <template <class> class Property>
struct first_without<Property> : std::type_identity<void> {};

template <class T>
using is_clause = std::bool_constant<clause<T>>;
template <class T>
using is_node_or_absent = std::bool_constant<is_node<T>>;

/// Instantiates the diagnostic of the graph's first defect.
template <class Graph>
constexpr auto explain() {
    constexpr report r = Graph::map.verdict;
    using node = typename Graph::template node<r.node>;
    constexpr auto const& object = node::object;
    using state = typename Graph::state_type;
    using outcome = typename node_signature<typename node::callable, state>::outcome;
    if constexpr (r.kind == defect::wrong_state && r.clause >= 0) {
        constexpr auto source = node::template clause<r.clause>::source;
        return sizeof(diagnostic::wrong_state_for_limit<object, source, state>);
    } else if constexpr (r.kind == defect::stateful_node) {
        return sizeof(diagnostic::stateful_node<object>);
    } else if constexpr (r.kind == defect::duplicate_node) {
        constexpr int duplicate = Graph::first_duplicate(r.node);
        return sizeof(diagnostic::duplicate_node<object, Graph::template node<duplicate>::object>);
    } else if constexpr (r.kind == defect::wrong_state) {
        return sizeof(diagnostic::wrong_state<object, state>);
    } else if constexpr (r.kind == defect::state_by_value) {
        return sizeof(diagnostic::state_by_value<object, state>);
    } else if constexpr (r.kind == defect::outcome_with_data && r.clause >= 0) {
        using tag = typename node::template clause<r.clause>::target::tag;
        return sizeof(diagnostic::outcome_with_data<object, tag>);
    } else if constexpr (r.kind == defect::outcome_with_data) {
        return sizeof(diagnostic::outcome_with_data<object, outcome>);
    } else if constexpr (r.kind == defect::duplicate_limit) {
        return sizeof(
            diagnostic::duplicate_limit<object, typename node::template clause<r.clause>>);
    } else if constexpr (r.kind == defect::foreign_outcome) {
        return sizeof(
            diagnostic::foreign_outcome<object, typename node::template clause<r.clause>>);
    } else if constexpr (r.kind == defect::unknown_target) {
        using target = typename node::template clause<r.clause>::target;
        return sizeof(diagnostic::unknown_target<object, target>);
    } else if constexpr (r.kind == defect::duplicate_edge) {
        return sizeof(diagnostic::duplicate_edge<object, typename node::template clause<r.clause>>);
    } else if constexpr (r.kind == defect::missing_edge) {
        if constexpr (std::is_enum_v<outcome>) {
            constexpr auto value =
                enumerators<outcome>::values[static_cast<std::size_t>(r.outcome)];
            return sizeof(diagnostic::missing_edge<object, static_cast<outcome>(value)>);
        } else if constexpr (std::is_void_v<outcome>) {
            return sizeof(diagnostic::missing_edge_for<object, void>);
        } else {
            using tag = std::variant_alternative_t<static_cast<std::size_t>(r.outcome), outcome>;
            return sizeof(diagnostic::missing_edge_for<object, tag>);
        }
    } else if constexpr (r.kind == defect::unreachable_node) {
        return sizeof(diagnostic::unreachable_node<object>);
    } else if constexpr (r.kind == defect::no_way_out) {
        return sizeof(diagnostic::no_way_out<object>);
    } else {
        return sizeof(diagnostic::unbounded_loop<object>);
    }
}

} // namespace detail

} // namespace lkt
