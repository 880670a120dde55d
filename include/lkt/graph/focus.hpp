// SPDX-License-Identifier: BSL-1.0
// Adaptors that make nodes: a graph on the same state, a node or graph on a part of the state, and
// a plain function.
#pragma once

#include <lkt/core/type_name.hpp>
#include <lkt/graph/diagnose.hpp>
#include <lkt/graph/node.hpp>

#include <string_view>
#include <type_traits>
#include <utility>

namespace lkt {

/// A graph as a node, on the state of the graph around it; its terminals are the outcomes.
template <class G>
struct sub_t {
    using graph_type = G;
    static constexpr std::string_view maker = "sub";
    static constexpr std::string_view default_name = detail::without_arguments(name_of<G>);

    template <class State>
    [[nodiscard]] static constexpr State& view(State& state) {
        return state;
    }
};

/// `sub` of something else, which is reported here and nowhere else.
template <class G>
    requires(!detail::has_graph<G>)
struct sub_t<G> : diagnostic::not_a_graph<G> {
    using lkt_misused = void;
};

/// A graph as a node, on a member of the state.
template <auto Member, class Inner>
struct focused_graph {
    using graph_type = typename Inner::graph_type;
    static constexpr std::string_view maker = "focus";
    static constexpr std::string_view default_name = Inner::default_name;

    template <class State>
    [[nodiscard]] static constexpr auto view(State& state) -> decltype(Inner::view(state.*Member)) {
        return Inner::view(state.*Member);
    }
};

/// A node on a member of the state.
template <auto Member, class Inner>
struct focused_node {
    template <class State>
    constexpr auto operator()(State& state) const
        -> std::invoke_result_t<Inner const&, decltype((state.*Member))> {
        return Inner{}(state.*Member);
    }
    template <class State, class Tools>
        requires(!std::is_invocable_v<Inner const&, decltype((std::declval<State&>().*Member))>)
    constexpr auto operator()(State& state, Tools& tools) const
        -> std::invoke_result_t<Inner const&, decltype((state.*Member)), Tools&> {
        return Inner{}(state.*Member, tools);
    }
};

/// A plain function as a node: two functions of one signature would else be one type.
template <auto Function>
struct fn_t {
    static constexpr auto function = Function;
    static constexpr std::string_view maker = "fn";
    static constexpr std::string_view default_name = pointee_name<Function>;

    template <class... Args>
    constexpr auto operator()(Args&... args) const -> decltype(Function(args...)) {
        return Function(args...);
    }
};

namespace detail {

/// What `focus` gives after a misuse that has been reported.
struct misused_node {
    using lkt_misused = void;
};

} // namespace detail

} // namespace lkt
