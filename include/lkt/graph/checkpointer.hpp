// SPDX-License-Identifier: BSL-1.0
// How a run is saved while it goes on, seen from the graph: store/checkpoint.hpp has what saves it.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/graph/cursor.hpp>
#include <lkt/graph/graph.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace lkt {

/// An option of `run` that keeps the outermost state and its cursor, where nested ones are inside:
/// \li `save(state, cursor)`: before the first visit, and after each transition, in nested graphs
///     too. Running on from these two is running on from there. After an error the run ends with it
///     and takes no edge.
/// \li `finish(failure)`: when the run ends, by a terminal (null) or a failure
template <class C, class G>
concept checkpointer =
    requires(C& c, detail::state_of<G> const& s, cursor<G> const& at, error const* failure) {
        { c.save(s, at) } -> std::same_as<result<void>>;
        { c.finish(failure) } -> std::same_as<result<void>>;
    };

/// `outer/inner`, or `outer/{one, other}`: the names of a graph and of those nested in it.
template <class G>
[[nodiscard]] std::string graph_names();

/// A number that changes with the nodes, outcomes and edges of a graph, and of those nested in it:
/// a cursor of another graph says nothing about this one.
template <class G>
[[nodiscard]] constexpr std::uint64_t topology_digest();

namespace detail {

template <class G, class Call, int... I>
constexpr void each_nested(Call call, std::integer_sequence<int, I...>) {
    auto const one = [&]<class F>(std::type_identity<F>) {
        if constexpr (graph_node<F>) call(std::type_identity<typename F::graph_type>{});
    };
    (one(std::type_identity<typename graph_of<G>::template node<I>::callable>{}), ...);
}
template <class G, class Call>
constexpr void each_nested(Call call) {
    each_nested<G>(call, std::make_integer_sequence<int, graph_of<G>::size>{});
}

/// `outer/inner`, or `outer/{one, other}`.
[[nodiscard]] std::string joined_names(std::string_view outer,
                                       std::vector<std::string> const& inside);

/// 64-bit FNV-1a.
struct topology_hash {
    std::uint64_t value = 0xcbf29ce484222325u;

    constexpr void byte(unsigned b) { value = (value ^ (b & 0xffu)) * 0x100000001b3u; }
    constexpr void add(int number) {
        auto const bits = static_cast<unsigned>(number);
        for (int i = 0; i < 32; i += 8) byte(bits >> i);
    }
    constexpr void add(std::string_view text) {
        for (char const c : text) byte(static_cast<unsigned char>(c));
        add(static_cast<int>(text.size()));
    }
    template <class Outcome>
    constexpr void add_names() {
        for (std::string_view const name : outcome_values<Outcome>::names) add(name);
    }
    template <class G>
    constexpr void add_graph() {
        using graph = graph_of<G>;
        add(graph::size);
        add_names<typename graph::outcome>();
        for (std::string_view const name : graph::names) add(name);
        for (int const to : graph::map.edges) add(to);
        for (auto const& row : graph::map.rows) {
            add(row.first_edge);
            add(row.limit_to);
            for (int const to : row.error_to) add(to);
        }
        [&]<int... I>(std::integer_sequence<int, I...>) {
            (add_names<typename graph::template node<I>::template outcome<state_of<G>>>(), ...);
        }(std::make_integer_sequence<int, graph::size>{});
        each_nested<G>([&]<class Inner>(std::type_identity<Inner>) { add_graph<Inner>(); });
    }
};

} // namespace detail

template <class G>
std::string graph_names() {
    std::vector<std::string> inside;
    detail::each_nested<G>(
        [&]<class Inner>(std::type_identity<Inner>) { inside.push_back(graph_names<Inner>()); });
    return detail::joined_names(graph_name<G>, inside);
}

template <class G>
constexpr std::uint64_t topology_digest() {
    detail::topology_hash h;
    h.template add_graph<G>();
    return h.value;
}

} // namespace lkt
