// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/nodes/step.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/strategies/terminals.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace lkt {

namespace detail {

template <class Strategy>
inline constexpr auto repeated_letters = [] {
    constexpr std::string_view before = "repeated(", inner = graph_name<Strategy>;
    std::array<char, before.size() + inner.size() + 1> letters{};
    auto at = std::copy(before.begin(), before.end(), letters.begin());
    at = std::copy(inner.begin(), inner.end(), at);
    *at = ')';
    return letters;
}();
template <class Strategy>
inline constexpr std::string_view repeated_name{repeated_letters<Strategy>.data(),
                                                repeated_letters<Strategy>.size()};

} // namespace detail

/// Runs a strategy again as long as it ends in `tuned`, each time from the best kernel so far, at
/// most `Rounds` times. The strategy's terminals must be `tuned`, `unchanged` and `gave_up`; these
/// are the outcome's as well: `tuned` when any round improved the kernel.
template <class Strategy, int Rounds>
struct repeated {
    static_assert(Rounds > 0, "[lkt.strategies.rounds] repeated<Strategy, Rounds> needs a round");

    /// `repeated(one_prompt)`
    static constexpr std::string_view name = detail::repeated_name<Strategy>;

    static constexpr bool reads_profiles = requires { requires Strategy::reads_profiles; };

    static constexpr auto retry = retry_of<Strategy>();

    /// With what it holds beside its graph.
    Strategy strategy{};

    void prepare(auto& s) const
        requires requires { strategy.prepare(s); }
    {
        strategy.prepare(s);
    }
    void adjust(auto& s) const
        requires requires { strategy.adjust(s); }
    {
        strategy.adjust(s);
    }

    static constexpr auto round = dsl::sub<Strategy>;
    static constexpr auto graph = lkt::graph<typename decltype(Strategy::graph)::state_type>(
        dsl::node<begin_step>(dsl::limit<Rounds>(dsl::stop<tuned>), dsl::to(round)),
        dsl::node<round>(dsl::on<tuned>(begin_step),
                         dsl::on<unchanged>(look_back_unchanged),
                         dsl::on<gave_up>(look_back_gave_up)),
        dsl::node<look_back_unchanged>(dsl::on<since_start::improved>(dsl::stop<tuned>),
                                       dsl::on<since_start::same>(dsl::stop<unchanged>)),
        dsl::node<look_back_gave_up>(dsl::on<since_start::improved>(dsl::stop<tuned>),
                                     dsl::on<since_start::same>(dsl::stop<gave_up>)));
};

} // namespace lkt
