// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/graph/node.hpp>
#include <lkt/nodes/plan_steps.hpp>
#include <lkt/nodes/planning_state.hpp>
#include <lkt/strategies/one_prompt.hpp>

#include <string_view>
#include <type_traits>
#include <variant>

namespace lkt {

/// All answers to a question were unusable.
struct no_answer {};

namespace detail {

/// The question: an unusable answer asks again, any other is the graph's own.
template <auto const& Ask, auto Retry, class... Answers>
constexpr auto asked_node(std::type_identity<std::variant<unusable, Answers...>>) {
    using namespace dsl;
    return node<Ask>(retrying<Retry>(),
                     limit<&tuning_state::per_step, &step_limits::attempts>(stop<no_answer>),
                     on<unusable>(Ask),
                     on<Answers>(stop<Answers>)...);
}

} // namespace detail

/// A question about a plan as a node: asks it until an answer can be used, at most
/// `per_step.attempts` times, each time with what was wrong with the answers before. The terminals
/// are the outcomes of `Ask` but `unusable`, and `no_answer`.
template <auto const& Ask, auto Retry = backoff{}>
struct until_usable {
    static constexpr std::string_view name = detail::name_of_node<Ask>();
    static constexpr auto graph = [] {
        using namespace dsl;
        return lkt::graph<planning_state>(
            node<begin_question>(to(Ask)),
            detail::asked_node<Ask, Retry>(
                std::type_identity<
                    typename detail::node_signature<std::remove_cvref_t<decltype(Ask)>,
                                                    planning_state>::outcome>{}));
    }();
};

} // namespace lkt
