// SPDX-License-Identifier: BSL-1.0
// The clause language. `using namespace lkt::dsl;`, then a node's block reads like a `switch`:
//
//     node<build>(
//         limit<8>(stop<gave_up>),
//         on<built::ok>(verify),
//         on<built::rejected>(repair))
#pragma once

#include <lkt/graph/clause.hpp>
#include <lkt/graph/focus.hpp>
#include <lkt/graph/graph.hpp>
#include <lkt/graph/node.hpp>

#include <type_traits>

namespace lkt::dsl {

/// A target that ends the run with `Tag`, an empty type, as its outcome.
template <class Tag>
inline constexpr stop_t<Tag> stop{};

/// A graph as a node, on the same state: `node<sub<attempt>>(on<...>(...))`.
template <class G>
inline constexpr sub_t<G> sub{};

/// A plain function as a node: `node<fn<&build>>(...)`.
template <auto Function>
inline constexpr fn_t<Function> fn{};

/// The edge for one outcome: an enumerator ...
template <auto Value, class Target>
[[nodiscard]] constexpr clauses::on_value<Value, Target> on(Target) {
    return {};
}
/// ... or a tag of a variant, such as a terminal of a nested graph.
template <class Tag, class Target>
[[nodiscard]] constexpr clauses::on_tag<Tag, Target> on(Target) {
    return {};
}

/// The edge for every outcome: the only one of a node that returns `void`. It cannot be combined
/// with `on`.
template <class Target>
[[nodiscard]] constexpr clauses::to<Target> to(Target) {
    return {};
}

/// The edge for failures of the world of this condition, after `retrying` gave up.
template <condition Condition, class Target>
[[nodiscard]] constexpr clauses::on_error<Condition, Target> on_error(Target) {
    return {};
}

/// After so many visits in one entry of the graph the next one goes to the target instead. The
/// limit is a constant, a data member of the state or of a member of it
/// (`limit<&state::limits, &limits::rounds>`), or a const member function of the state.
template <auto Limit, auto... Inner, class Target>
[[nodiscard]] constexpr auto limit(Target) {
    if constexpr (detail::limit_path<Limit, Inner...>) {
        return clauses::limit<Limit, Target, Inner...>{};
    } else {
        using type = std::remove_cv_t<decltype(Limit)>;
        using reported [[maybe_unused]] = decltype(sizeof(diagnostic::limit<type>));
        return detail::poisoned{};
    }
}

/// Tries again when the node fails, as long as the policy says so: `retrying<backoff{...}>()`.
template <auto Policy>
[[nodiscard]] constexpr auto retrying() {
    using type = std::remove_cv_t<decltype(Policy)>;
    if constexpr (retry_policy<type>) {
        return clauses::retrying<Policy>{};
    } else {
        using reported [[maybe_unused]] = decltype(sizeof(diagnostic::retry_policy<type>));
        return detail::poisoned{};
    }
}
/// The same with a policy's type: `retrying<never>()`.
template <class Policy>
[[nodiscard]] constexpr auto retrying() {
    if constexpr (retry_policy<Policy> && std::is_default_constructible_v<Policy>) {
        return clauses::retrying<Policy{}>{};
    } else {
        using reported [[maybe_unused]] = decltype(sizeof(diagnostic::retry_policy<Policy>));
        return detail::poisoned{};
    }
}

/// A node and its clauses; the name of the node is the name of the variable.
template <auto const& Callable, class... Clauses>
[[nodiscard]] constexpr auto node(Clauses...) {
    if constexpr ((detail::clause<Clauses> && ...)) {
        return node_t<Callable, Clauses...>{};
    } else {
        using offending_part = typename detail::first_without<detail::is_clause, Clauses...>::type;
        using reported [[maybe_unused]] =
            decltype(sizeof(diagnostic::not_a_clause<offending_part>));
        return detail::poisoned_node{};
    }
}

/// Keeps a node or a clause, or drops it from the graph.
template <bool Keep, class Item>
[[nodiscard]] constexpr auto when(Item item) {
    if constexpr (Keep)
        return item;
    else
        return absent{};
}

/// One of two targets, nodes or clauses.
template <bool First, class A, class B>
[[nodiscard]] constexpr auto either(A a, B b) {
    if constexpr (First)
        return a;
    else
        return b;
}

/// A node, or a graph as a node, on a member of the state: `focus<&campaign::tile>(refine{})`.
template <auto Member, class Inner>
[[nodiscard]] constexpr auto focus(Inner) {
    if constexpr (!std::is_member_object_pointer_v<decltype(Member)>) {
        using type = std::remove_cv_t<decltype(Member)>;
        using reported [[maybe_unused]] = decltype(sizeof(diagnostic::focus<type>));
        return detail::misused_node{};
    } else if constexpr (detail::has_graph<Inner>) {
        return focused_graph<Member, sub_t<Inner>>{};
    } else if constexpr (detail::graph_node<Inner>) {
        return focused_graph<Member, Inner>{};
    } else {
        return focused_node<Member, Inner>{};
    }
}

} // namespace lkt::dsl
