// SPDX-License-Identifier: BSL-1.0
// Where a run stands, as a value: copy it, compare it, run on from it.
#pragma once

#include <lkt/graph/graph.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

namespace lkt {

template <class G>
struct cursor;

namespace detail {

template <class G>
struct nested {
    using graph = graph_of<G>;

    template <int I>
    static constexpr bool is_nested = graph_node<typename graph::template node<I>::callable>;

    template <int... I>
    static constexpr std::array<bool, graph::size> flags(std::integer_sequence<int, I...>) {
        return {is_nested<I>...};
    }
    static constexpr auto flag = flags(std::make_integer_sequence<int, graph::size>{});
    /// Which of the nested graphs node I is.
    static constexpr int position(int node) {
        int before = 0;
        for (int i = 0; i < node; ++i)
            if (flag[static_cast<std::size_t>(i)]) ++before;
        return before;
    }
    static constexpr int count = position(graph::size);
    static constexpr int node_at(int position) {
        int node = 0;
        for (;; ++node)
            if (flag[static_cast<std::size_t>(node)] && position-- == 0) return node;
    }
    template <int P>
    using cursor_at = cursor<typename graph::template node<node_at(P)>::callable::graph_type>;

    template <int... P>
    static auto cursors(std::integer_sequence<int, P...>) -> std::tuple<cursor_at<P>...>;
    using type = decltype(cursors(std::make_integer_sequence<int, count>{}));
};

} // namespace detail

/// The position of a run in strategy `G`, of its nested graphs too. A fresh one is at the entry.
template <class G>
struct cursor {
    int at = 0;           ///< the node to enter next; -1 - t once terminal t is reached
    bool entered = false; ///< a run has begun and has not reached a terminal yet
    /// Completed visits in this entry of the graph, of the nodes that have a limit.
    std::array<std::int64_t, static_cast<std::size_t>(detail::graph_of<G>::size)> visits{};
    typename detail::nested<G>::type inner{}; ///< one cursor a nested graph, in node order

    [[nodiscard]] constexpr bool finished() const { return at < 0; }

    /// False for values that no run leaves behind, such as a damaged file may hold.
    [[nodiscard]] constexpr bool valid() const {
        using graph = detail::graph_of<G>;
        if (at >= graph::size || at < -graph::terminal_count) return false;
        for (std::int64_t const n : visits)
            if (n < 0) return false;
        return std::apply([](auto const&... c) { return (c.valid() && ...); }, inner);
    }

    friend constexpr bool operator==(cursor const&, cursor const&) = default;
};

} // namespace lkt
