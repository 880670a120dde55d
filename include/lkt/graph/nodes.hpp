// SPDX-License-Identifier: BSL-1.0
// The nodes and terminals of a strategy as Hana type lists, for programs that compute with graphs.
#pragma once

#include <lkt/graph/graph.hpp>

#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>
#include <string_view>
#include <utility>
#include <variant>

namespace lkt {

namespace detail {

template <class G, int... I>
constexpr auto node_list(std::integer_sequence<int, I...>) {
    return boost::hana::tuple_t<typename graph_of<G>::template node<I>::callable...>;
}

template <class... Tags>
constexpr auto tag_list(std::variant<Tags...> const*) {
    return boost::hana::tuple_t<Tags...>;
}

} // namespace detail

/// The callables' types, the entry first: `hana::size_c`, `hana::contains(nodes_of<G>, type_c<F>)`.
template <class G>
inline constexpr auto nodes_of =
    detail::node_list<G>(std::make_integer_sequence<int, detail::graph_of<G>::size>{});

/// The tags of the terminals, in the order of `outcome_of<G>`.
template <class G>
inline constexpr auto terminals_of = detail::tag_list(static_cast<outcome_of<G> const*>(nullptr));

/// The names of the nodes as pictures and observers give them, in the order of `nodes_of`.
template <class G>
inline constexpr auto const& node_names = detail::graph_of<G>::names;

} // namespace lkt
