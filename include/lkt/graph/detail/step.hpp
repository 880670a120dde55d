// SPDX-License-Identifier: BSL-1.0
// One visit of a node, and the loop over visits. Everything is keyed on the strategy's name `G`
// and a node's index, so that no symbol spells the pack of nodes.
#pragma once

#include <lkt/graph/detail/run_context.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace lkt::detail {

inline constexpr int failed = no_target + 1; ///< in place of an outcome or of a target

template <class G, int I>
inline constexpr node_row const& row_of = graph_of<G>::map.rows[static_cast<std::size_t>(I)];

template <class G, int I>
constexpr std::string_view node_name() {
    return graph_of<G>::names[static_cast<std::size_t>(I)];
}

template <class G, class X>
constexpr int drive(cursor<G>& at, state_of<G>& state, X& x, typename X::parent up);

// ----------------------------------------------------------------------- outcome -> index, target

/// The index of an outcome's value; comparisons with constants, which the optimiser threads into
/// the dispatch.
template <class Value, int... K>
constexpr int outcome_index(Value const& value, std::integer_sequence<int, K...>) {
    int index = -1;
    if constexpr (std::is_enum_v<Value>) {
        using table = enumerators<Value>;
        (void)((value == static_cast<Value>(table::values[static_cast<std::size_t>(K)]) &&
                ((index = K), true)) ||
               ...);
    } else {
        index = outcome_values<Value>::index(value);
    }
    return index;
}

template <class G, int I, class Value>
constexpr int checked_index(Value const& value) {
    constexpr int count = outcome_values<Value>::count;
    int const index = outcome_index(value, std::make_integer_sequence<int, count>{});
    if (index < 0) throw unknown_outcome(node_name<G, I>());
    return index;
}

template <class G, int I, int... K>
constexpr int target_of(int outcome, std::integer_sequence<int, K...>) {
    int target = no_target;
    (void)((outcome == K && ((target = graph_of<G>::map.edge(I, K)), true)) || ...);
    return target;
}

// --------------------------------------------------------------------------------------- one visit

template <class G, int I>
constexpr auto& child_of(cursor<G>& at) {
    return std::get<static_cast<std::size_t>(nested<G>::position(I))>(at.inner);
}

template <class F, class State, class X>
constexpr decltype(auto) call_node(State& state, X& x) {
    if constexpr (node_signature<F, State>::form == call_form::state)
        return F{}(state);
    else
        return F{}(state, x.tools);
}

/// Enters the node once; the index of its outcome (of a graph: of its terminal), or `failed` with
/// the reason in `x.failure`.
template <class G, int I, class X>
constexpr int
enter(cursor<G>& at, state_of<G>& state, X& x, [[maybe_unused]] typename X::parent event) {
    using F = typename graph_of<G>::template node<I>::callable;
    if constexpr (graph_node<F>) {
        auto& inner = child_of<G, I>(at);
        inner.entered = true;
        int const end = drive<typename F::graph_type>(inner, F::view(state), x, event);
        return end == failed ? failed : -1 - end;
    } else {
        using raw = typename call<F, state_of<G>>::raw;
        using value = outcome_part<raw>;
        if constexpr (is_fallible<raw>) {
            auto out = call_node<F>(state, x);
            if (!out) {
                x.failure.emplace(std::move(out).error());
                return failed;
            }
            if constexpr (std::is_void_v<value>)
                return 0;
            else
                return checked_index<G, I>(*out);
        } else if constexpr (std::is_void_v<value>) {
            call_node<F>(state, x);
            return 0;
        } else {
            return checked_index<G, I>(call_node<F>(state, x));
        }
    }
}

/// A stop request ends the run where it stands, and so does a state that cannot be saved: no
/// failure is repeated or handled from then on.
template <class X>
bool stopping(X const& x) {
    if constexpr (X::kept)
        if (x.keeping.lost) return true;
    if constexpr (X::stoppable)
        return x.stop.stop_requested();
    else
        return false;
}

/// After a failure: true when the node's policy wants another attempt, after `delay`, and that wait
/// was not interrupted. `attempts`: made so far, those within the node included.
template <class X>
bool waits_to_try_again(
    X& x, retry_delay delay, int attempts, typename X::parent event, std::string_view node) {
    if (x.failure->kind == condition::suspended) return false; // nothing comes of trying again
    x.failure->attempts = attempts; // whoever retries further out goes on from there
    if (!delay || stopping(x)) return false;
    if constexpr (X::observed) x.observers.retry(*event, {attempts, *delay, *x.failure});
    bool waited = true;
    if constexpr (X::stoppable)
        waited = x.waiter.wait(*delay, x.stop) && !x.stop.stop_requested();
    else
        (void)x.waiter.wait(*delay, std::stop_token{});
    if (!waited) {
        x.failure = cancelled("the wait before repeating " + std::string(node));
        x.failure->attempts = attempts;
    }
    return waited;
}

/// Enters the node until it succeeds or its retry policy gives up.
template <class G, int I, class X>
constexpr int attempts(cursor<G>& at, state_of<G>& state, X& x, typename X::parent event) {
    int outcome = enter<G, I>(at, state, x, event);
    if constexpr (row_of<G, I>.retry_clause >= 0) {
        using node = typename graph_of<G>::template node<I>;
        constexpr auto policy = node::template clause<row_of<G, I>.retry_clause>::policy;
        for (int made = 0; outcome == failed; outcome = enter<G, I>(at, state, x, event)) {
            made = attempts_with(made, *x.failure);
            // The failure may ask for a wait.
            retry_delay const delay = policy.next(x.failure->kind, made, x.failure->retry_after);
            if (!waits_to_try_again(x, delay, made, event, node_name<G, I>())) break;
        }
    }
    return outcome;
}

template <class G, int I>
inline constexpr bool handles_errors = [] {
    for (int const to : row_of<G, I>.error_to)
        if (to != no_target) return true;
    return false;
}();

/// Where an outcome, or a failure that has an edge, leads; else `failed`.
template <class G, int I, class X>
constexpr int next_after(int outcome, X& x) {
    if (outcome == failed) {
        if constexpr (handles_errors<G, I>) {
            int const to = row_of<G, I>.error_to[static_cast<std::size_t>(x.failure->kind)];
            if (to != no_target && !stopping(x)) return to;
        }
        return failed;
    }
    constexpr int count = graph_of<G>::map.outcomes(I);
    return target_of<G, I>(outcome, std::make_integer_sequence<int, count>{});
}

/// The visit is over, by whatever edge: count it, and let a nested graph begin anew next time.
template <class G, int I>
constexpr void leave(cursor<G>& at) {
    using F = typename graph_of<G>::template node<I>::callable;
    if constexpr (row_of<G, I>.limit_clause >= 0) ++at.visits[static_cast<std::size_t>(I)];
    if constexpr (graph_node<F>) child_of<G, I>(at) = {};
}

/// True when the node's limit sends this visit elsewhere. One that is under way goes on.
template <class G, int I>
constexpr bool limit_reached(cursor<G>& at, state_of<G> const& state) {
    using node = typename graph_of<G>::template node<I>;
    if constexpr (row_of<G, I>.limit_clause < 0) {
        return false;
    } else {
        using limit = typename node::template clause<row_of<G, I>.limit_clause>;
        if constexpr (graph_node<typename node::callable>)
            if (child_of<G, I>(at).entered) return false;
        return at.visits[static_cast<std::size_t>(I)] >= limit::allowed(state);
    }
}

// ------------------------------------------------------------------------------------- with hooks

template <class G>
constexpr std::string_view target_name(int to) {
    using terminals = outcome_values<typename graph_of<G>::outcome>;
    if (to >= 0) return graph_of<G>::names[static_cast<std::size_t>(to)];
    // The bound is for compilers that think of `failed`, which never gets here.
    auto const terminal = static_cast<std::size_t>(-1 - to);
    return terminal < terminals::names.size() ? terminals::names[terminal] : std::string_view{};
}

/// Moves the cursor, then tells of the transition.
template <class G, class X>
constexpr int
move(cursor<G>& at, X& x, node_event const& event, edge_kind kind, std::string_view label, int to) {
    at.at = to;
    x.observers.transition(event, {kind, label, target_name<G>(to), to < 0});
    return to;
}

/// The edge that a visit leaves by.
struct taken_edge {
    edge_kind kind = edge_kind::outcome;
    std::string_view label;
};

/// Tells how a visit ended: with an outcome, or with the failure of the run, which is forgotten
/// where an edge handles it.
template <class X, class Guard>
constexpr taken_edge tell_exit(X& x, Guard& guard, int outcome, std::string_view label, int to) {
    if constexpr (X::fallible) {
        if (outcome == failed) {
            auto const kind = x.failure->kind;
            guard.tell({{}, &*x.failure});
            if (to != failed) x.failure.reset();
            return {edge_kind::error, to_string(kind)};
        }
    }
    guard.tell({label, nullptr});
    return {edge_kind::outcome, label};
}

template <class G, int I, class X>
constexpr int observed_step(cursor<G>& at, state_of<G>& state, X& x, node_event const* up) {
    using graph = graph_of<G>;
    using F = typename graph::template node<I>::callable;
    using outcomes = outcome_values<typename node_signature<F, state_of<G>>::outcome>;
    node_event const event{
        graph_name<G>, node_name<G, I>(), I, up != nullptr ? up->depth + 1 : 0, up};
    if (limit_reached<G, I>(at, state))
        return move(at, x, event, edge_kind::limit, "limit", row_of<G, I>.limit_to);

    exit_guard guard(x.observers, event);
    int const outcome = attempts<G, I>(at, state, x, &event);
    int const to = next_after<G, I>(outcome, x);
    auto const label =
        outcome == failed ? std::string_view() : outcomes::names[static_cast<std::size_t>(outcome)];
    taken_edge const edge = tell_exit(x, guard, outcome, label, to);
    if (to == failed) return failed;
    leave<G, I>(at);
    return move(at, x, event, edge.kind, edge.label, to);
}

// ---------------------------------------------------------------------------------------- the loop

template <class G, int I, class X>
constexpr int step(cursor<G>& at, state_of<G>& state, X& x, typename X::parent up) {
    if constexpr (X::observed) {
        return observed_step<G, I>(at, state, x, up);
    } else {
        if (limit_reached<G, I>(at, state)) return row_of<G, I>.limit_to;
        int const to = next_after<G, I>(attempts<G, I>(at, state, x, up), x);
        if (to != failed) leave<G, I>(at);
        return to;
    }
}

/// Saves the run as it stands now; false, with the failure, when it cannot be.
template <class X>
constexpr bool saved(X& x) {
    if constexpr (X::kept) {
        if (auto ok = x.keeping.save(); !ok) {
            x.failure = std::move(ok).error();
            return false;
        }
    }
    return true;
}

/// Visits nodes until a terminal is reached; its target, or `failed`.
template <class G, class X, int... I>
constexpr int drive(cursor<G>& at,
                    state_of<G>& state,
                    X& x,
                    typename X::parent up,
                    std::integer_sequence<int, I...>) {
    int here = at.at;
    while (here >= 0) {
        if constexpr (X::stoppable) {
            if (x.stop.stop_requested()) {
                x.failure = cancelled("the run of " + std::string(graph_name<G>));
                return failed;
            }
        }
        int to = failed;
        (void)((here == I && ((to = step<G, I>(at, state, x, up)), true)) || ...);
        if constexpr (X::fallible)
            if (to == failed) return failed;
        at.at = here = to;
        if (!saved(x)) return failed;
    }
    return here;
}

template <class G, class X>
constexpr int drive(cursor<G>& at, state_of<G>& state, X& x, typename X::parent up) {
    return drive<G>(at, state, x, up, std::make_integer_sequence<int, graph_of<G>::size>{});
}

} // namespace lkt::detail
