// SPDX-License-Identifier: BSL-1.0
// `lkt::graph<State>(nodes...)`: from nodes and clauses to a checked graph.
#pragma once

#include <lkt/graph/diagnose.hpp>
#include <lkt/graph/topology.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace lkt {

namespace detail {

/// The tags of all terminals, in the order in which the clauses name them.
template <class Tags, class... Nodes>
struct tags_of {
    using type = Tags;
};
template <class Tags, class Node, class... Nodes>
struct tags_of<Tags, Node, Nodes...> : tags_of<typename Node::template add_tags<Tags>, Nodes...> {};

/// Where an edge can lead: the nodes' callables and the terminals' tags.
template <class Callables, class Tags>
struct targets;
template <class... Callables, class... Tags>
struct targets<pack<Callables...>, pack<Tags...>> {
    static constexpr int terminal_count = static_cast<int>(sizeof...(Tags));
    using outcome = std::
        conditional_t<(terminal_count > 0), std::variant<Tags...>, std::variant<std::monostate>>;

    /// The target's number as the topology has it, `no_target` for a node that the graph lacks.
    template <class Target>
    static constexpr int index_of() {
        if constexpr (is_stop<Target>) {
            return -1 - first_index<typename Target::tag, Tags...>();
        } else {
            constexpr int node = first_index<Target, Callables...>();
            return node < 0 ? no_target : node;
        }
    }
};

} // namespace detail

/// A graph: an empty constant; everything about it is in its type. The first node is the entry.
template <class State, class... Nodes>
struct basic_graph {
    using lkt_graph = void;
    using state_type = State;
    static constexpr int size = static_cast<int>(sizeof...(Nodes));

    template <int I>
    using node = detail::pick<I, Nodes...>;

private:
    using targets = detail::targets<detail::pack<typename Nodes::callable...>,
                                    typename detail::tags_of<detail::pack<>, Nodes...>::type>;
    static constexpr int clause_count = (0 + ... + Nodes::clause_count);
    static constexpr int outcome_count =
        (0 + ... + outcome_values<typename Nodes::template outcome<State>>::count);

    static constexpr std::array<detail::node_info, sizeof...(Nodes)> nodes{
        Nodes::template describe<State, targets>()...};

    static constexpr auto analyse() {
        std::array<detail::clause_info, clause_count> clauses{};
        std::size_t at = 0;
        auto const append = [&](auto const& of_node) {
            for (auto const& clause : of_node) clauses[at++] = clause;
        };
        (append(Nodes::template describe_clauses<State, targets>()), ...);
        return detail::analysis<size, outcome_count, clause_count>(nodes, clauses).map();
    }

    /// The second and third of equal names get "#2" and "#3".
    static constexpr auto ordinals = [] {
        std::array<std::string_view, sizeof...(Nodes)> plain{
            detail::name_of_node<Nodes::object>()...};
        std::array<int, sizeof...(Nodes)> result{};
        for (std::size_t i = 0; i < plain.size(); ++i) {
            result[i] = 1;
            for (std::size_t j = 0; j < i; ++j)
                if (plain[j] == plain[i]) ++result[i];
        }
        return result;
    }();
    template <std::size_t... I>
    static constexpr std::array<std::string_view, sizeof...(Nodes)>
    number_names(std::index_sequence<I...>) {
        return {detail::numbered_name<Nodes::object, ordinals[I]>()...};
    }

public:
    static constexpr auto map = analyse();

    /// The variant of the graph's terminals, in the order in which its clauses name them.
    using outcome = typename targets::outcome;
    static constexpr int terminal_count = targets::terminal_count;

    /// The first node with the type of the given one.
    static constexpr int first_duplicate(int node) {
        return nodes[static_cast<std::size_t>(node)].first_duplicate;
    }

    static constexpr bool valid = map.verdict.kind == defect::none && !map.poisoned;

    /// True when a node can meet a failure of the world; then `run` returns `result<outcome>`.
    static constexpr bool fallible = [] {
        for (auto const& node : nodes)
            if (node.fallible) return true;
        return false;
    }();

    static constexpr std::array<std::string_view, sizeof...(Nodes)> names =
        number_names(std::make_index_sequence<sizeof...(Nodes)>{});
};

namespace detail {

template <class State, class Kept, class... Items>
struct without_absent;
template <class State, class... Kept>
struct without_absent<State, pack<Kept...>> {
    using type = basic_graph<State, Kept...>;
};
template <class State>
struct without_absent<State, pack<>> {
    using type = basic_graph<State, poisoned_node>;
};
template <class State, class... Kept, class... Items>
struct without_absent<State, pack<Kept...>, absent, Items...>
    : without_absent<State, pack<Kept...>, Items...> {};
template <class State, class... Kept, class Item, class... Items>
struct without_absent<State, pack<Kept...>, Item, Items...>
    : without_absent<State, pack<Kept..., Item>, Items...> {};

/// The graph of the items that are not absent; a graph without further errors if an item is not a
/// node.
template <class State, class... Items>
constexpr auto assemble() {
    if constexpr (sizeof...(Items) == 0 || !(is_node<Items> && ...))
        return basic_graph<State, poisoned_node>{};
    else if constexpr ((std::is_same_v<Items, absent> || ...))
        return typename without_absent<State, pack<>, Items...>::type{};
    else
        return basic_graph<State, Items...>{};
}
template <class State, class... Items>
using assembled = decltype(assemble<State, Items...>());

/// The diagnostic for arguments that are not even nodes; `void` when all are.
template <class State, class... Items>
constexpr auto graph_misuse() {
    if constexpr (sizeof...(Items) == 0)
        return std::type_identity<diagnostic::empty_graph<State>>{};
    else if constexpr (!(is_node<Items> && ...))
        return std::type_identity<
            diagnostic::not_a_node<typename first_without<is_node_or_absent, Items...>::type>>{};
    else
        return std::type_identity<void>{};
}

} // namespace detail

/// The verdict on what `graph<State>(nodes...)` would be, as a value; compiles for every defect.
template <class State, class... Items>
    requires(detail::is_node<Items> && ...)
[[nodiscard]] constexpr report report_of(Items...) {
    return detail::assembled<State, Items...>::map.verdict;
}

/// Makes the graph of these nodes, the first being the entry; does not compile with a defect.
template <class State, class... Items>
[[nodiscard]] constexpr auto graph(Items...) {
    using made = detail::assembled<State, Items...>;
    using misuse = typename decltype(detail::graph_misuse<State, Items...>())::type;
    if constexpr (!std::is_void_v<misuse>) {
        using reported [[maybe_unused]] = decltype(sizeof(misuse));
    } else if constexpr (made::map.verdict.kind != defect::none) {
        using reported [[maybe_unused]] = decltype(detail::explain<made>());
    }
    return made{};
}

/// The variant of the terminals of strategy `G`.
template <class G>
using outcome_of = typename detail::graph_of<G>::outcome;

/// The strategy's name: its own `static constexpr name`, or how the type is called.
template <class G>
inline constexpr std::string_view graph_name = detail::without_arguments(name_of<G>);

} // namespace lkt
