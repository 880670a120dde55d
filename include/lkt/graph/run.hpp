// SPDX-License-Identifier: BSL-1.0
// `lkt::run<G>(state, tools, ...)`: runs a strategy to one of its terminals.
#pragma once

#include <lkt/graph/cursor.hpp>
#include <lkt/graph/detail/run_context.hpp>
#include <lkt/graph/detail/step.hpp>
#include <lkt/graph/diagnose.hpp>
#include <lkt/graph/graph.hpp>
#include <lkt/graph/observe.hpp>

#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

namespace lkt {

namespace detail {

/// The index of the first node that cannot be called with the tools, -1 when there is none.
template <class G, class State, class Tools, int... I>
consteval int node_without_tools(std::integer_sequence<int, I...>);

/// True when the node, or each node of its graph, works with the tools.
template <class F, class State, class Tools>
consteval bool works_with() {
    if constexpr (graph_node<F>) {
        using G = typename F::graph_type;
        using indices = std::make_integer_sequence<int, graph_of<G>::size>;
        return node_without_tools<G, state_of<G>, Tools>(indices{}) < 0;
    } else if constexpr (call<F, State>::form == call_form::state) {
        return true;
    } else if constexpr (std::is_same_v<Tools, no_tools>) {
        return false;
    } else if constexpr (std::is_invocable_v<F const&, State&, Tools&>) {
        return std::is_same_v<std::invoke_result_t<F const&, State&, Tools&>,
                              typename call<F, State>::raw>;
    } else {
        return false;
    }
}

template <class G, class State, class Tools, int... I>
consteval int node_without_tools(std::integer_sequence<int, I...>) {
    int first = -1;
    (void)((works_with<typename graph_of<G>::template node<I>::callable, State, Tools>() ||
            ((first = I), false)) &&
           ...);
    return first;
}

template <class G, int... T>
constexpr outcome_of<G> outcome_at(int terminal, std::integer_sequence<int, T...>) {
    using outcome = outcome_of<G>;
    outcome result{};
    (void)((terminal == T &&
            ((result = outcome(std::in_place_index<static_cast<std::size_t>(T)>)), true)) ||
           ...);
    return result;
}

template <class G, class Tools, class Stop, class... Options>
constexpr auto run_with(state_of<G>& state, Tools& tools, Stop& stop, Options&... options) {
    auto const observers = make_observer_set(observers_among(options...));
    blocking_waiter blocking;
    auto& waiter = first_or<is_waiter>(blocking, options...);
    cursor<G> fresh;
    cursor<G>& at = first_or<cursor_for<G>::template is>(fresh, options...);
    no_checkpointer nobody;
    auto& keeper = first_or<checkpointer_for<G>::template is>(nobody, options...);
    using keeper_type = std::remove_reference_t<decltype(keeper)>;

    constexpr bool kept = !std::is_same_v<keeper_type, no_checkpointer>;
    constexpr bool fallible =
        graph_of<G>::fallible || kept || !std::is_same_v<std::remove_const_t<Stop>, no_stop>;
    using returned = std::conditional_t<fallible, result<outcome_of<G>>, outcome_of<G>>;
    constexpr int terminals = graph_of<G>::terminal_count;

    if (!at.valid()) throw std::out_of_range("[lkt.graph.cursor] the cursor is not at a node");
    if (!at.finished()) at.entered = true;
    keeping<G, keeper_type> with_keeper = [&]() -> keeping<G, keeper_type> {
        if constexpr (kept)
            return {at, state, keeper};
        else
            return {};
    }();
    run_context<Tools,
                Stop,
                std::remove_reference_t<decltype(waiter)>,
                std::remove_const_t<decltype(observers)>,
                fallible,
                keeping<G, keeper_type>>
        x(tools, stop, waiter, observers, with_keeper);
    int const end = saved(x) ? drive<G>(at, state, x, nullptr) : failed;
    if constexpr (kept) {
        auto finished = keeper.finish(end == failed ? &*x.failure : nullptr);
        if (!finished && end != failed) return returned(std::move(finished).error());
    }
    if constexpr (fallible)
        if (end == failed) return returned(std::move(*x.failure));
    at.entered = false;
    return returned(outcome_at<G>(-1 - end, std::make_integer_sequence<int, terminals>{}));
}

/// Finds the token, which may be an option or a member of the tools.
template <class G, class Tools, class... Options>
constexpr auto run_until(state_of<G>& state, Tools& tools, Options&... options) {
    if constexpr ((is_token<Options>::value || ...)) {
        no_stop none;
        return run_with<G>(state, tools, first_or<is_token>(none, options...), options...);
    } else if constexpr (carries_stop<Tools>) {
        return run_with<G>(state, tools, tools.stop, options...);
    } else {
        no_stop none;
        return run_with<G>(state, tools, none, options...);
    }
}

/// The diagnostic for the node that does not work with the tools.
template <class G, class Tools>
constexpr auto tools_misuse() {
    using indices = std::make_integer_sequence<int, graph_of<G>::size>;
    constexpr int offending_part = node_without_tools<G, state_of<G>, Tools>(indices{});
    if constexpr (offending_part < 0) {
        return std::type_identity<void>{};
    } else {
        using node = typename graph_of<G>::template node<offending_part>;
        if constexpr (graph_node<typename node::callable>)
            return tools_misuse<typename node::callable::graph_type, Tools>();
        else
            return std::type_identity<diagnostic::tools<node::object, Tools>>{};
    }
}

/// What `run` gives where the program does not compile, so that only the cause is reported.
template <class G>
constexpr auto no_run() {
    if constexpr (graph_of<G>::fallible)
        return result<outcome_of<G>>(outcome_of<G>{});
    else
        return outcome_of<G>{};
}

template <class G, class... Options>
inline constexpr bool options_fit =
    (is_option<G, Options> && ...) && (0 + ... + int(is_token<Options>::value)) <= 1 &&
    (0 + ... + int(is_waiter<Options>::value)) <= 1 &&
    (0 + ... + int(cursor_for<G>::template is<Options>::value)) <= 1 &&
    (0 + ... + int(checkpointer_for<G>::template is<Options>::value)) <= 1;

/// The diagnostic for arguments of `run` that do not fit; `void` when all do.
template <class G, class Tools, class... Options>
constexpr auto options_misuse() {
    if constexpr (!options_fit<G, Options...>)
        return std::type_identity<diagnostic::run_argument<pack<Options...>>>{};
    else
        return tools_misuse<G, Tools>();
}
template <class G, class State, class... Args>
constexpr auto run_misuse(std::type_identity<pack<Args...>>) {
    if constexpr (!std::is_convertible_v<State, state_of<G>&>)
        return std::type_identity<
            diagnostic::run_state<std::remove_reference_t<State>, state_of<G>>>{};
    else
        return options_misuse<G, Args...>();
}

/// The arguments with the tools in front, `no_tools` when there are none.
template <class G, class... Args>
struct with_tools : std::type_identity<pack<no_tools, Args...>> {};
template <class G, class First, class... Rest>
    requires(!is_option<G, First>)
struct with_tools<G, First, Rest...> : std::type_identity<pack<First, Rest...>> {};

template <class G>
constexpr auto run_sorted(state_of<G>& state) {
    no_tools none;
    return run_until<G>(state, none);
}
template <class G, class First, class... Rest>
constexpr auto run_sorted(state_of<G>& state, First& first, Rest&... rest) {
    if constexpr (is_option<G, First>) {
        no_tools none;
        return run_until<G>(state, none, first, rest...);
    } else {
        return run_until<G>(state, first, rest...);
    }
}

} // namespace detail

/// Runs strategy `G` from its entry to a terminal: `run<G>(state)`, `run<G>(state, tools)`, each
/// followed by options in any order:
/// \li `cursor<G>&`: start at the cursor, and leave it where the run ends
/// \li observers, any number
/// \li `std::stop_token`: polled before each visit; a member `stop` of the tools serves as well
/// \li a `waiter`: waits between attempts, `blocking_waiter` unless given
/// \li a `checkpointer`: saves state and cursor after each transition (store/checkpoint.hpp)
///
/// Returns the variant of the terminals; `result` of it if a node can fail, a token is polled or
/// the run is saved. After an error the state is as the failed node left it and the cursor is
/// before that node, also inside nested graphs: a further run with both continues there. A cursor
/// that has reached its terminal gives that terminal again.
///
/// Is a constant expression when its nodes are, none is fallible and no token is given.
/// Throws what a node throws, `unknown_outcome`, and `std::out_of_range` for a cursor that is not
/// `valid()`. Costs no allocation of its own, and per visit one comparison chain over the nodes,
/// which compilers turn into a switch (benchmarks/graph/transition.cpp).
template <class G, class State, class... Args>
constexpr auto run(State&& state, Args&&... args) {
    if constexpr (!detail::has_graph<G>) {
        using reported [[maybe_unused]] = decltype(sizeof(diagnostic::not_a_graph<G>));
    } else if constexpr (!detail::graph_of<G>::valid) {
        return detail::no_run<G>(); // the graph's own diagnostic has been given
    } else {
        using sorted = detail::with_tools<G, std::remove_reference_t<Args>...>;
        using misuse = typename decltype(detail::run_misuse<G, State&&>(
            std::type_identity<typename sorted::type>{}))::type;
        if constexpr (std::is_void_v<misuse>) {
            return detail::run_sorted<G>(state, args...);
        } else {
            using reported [[maybe_unused]] = decltype(sizeof(misuse));
            return detail::no_run<G>();
        }
    }
}

} // namespace lkt
