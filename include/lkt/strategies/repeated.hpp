// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/nodes/step.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/strategies/terminals.hpp>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace lkt {

namespace detail {

template <class Strategy>
inline constexpr auto repeated_letters = [] {
    constexpr std::string_view before = "repeated(", inner = graph_name<Strategy>;
    std::array<char, before.size() + inner.size() + 1> letters{};
    std::size_t at = 0;
    for (std::string_view const part : {before, inner, std::string_view(")")})
        for (char const c : part) letters[at++] = c;
    return letters;
}();
template <class Strategy>
inline constexpr std::string_view repeated_name{repeated_letters<Strategy>.data(),
                                                repeated_letters<Strategy>.size()};

} // namespace detail

/// How often a strategy is repeated.
struct repeat_limits {
    int rounds = 3;

    [[nodiscard]] static constexpr auto allowed() {
        return std::array{number_of<&repeat_limits::rounds>(1, 10'000, "runs of the strategy")};
    }
    friend bool operator==(repeat_limits const&, repeat_limits const&) = default;
};

/// The State of the strategy, and how often it runs.
template <class S>
struct repeated_state : S {
    repeat_limits repeat;
};
template <described S>
struct repeated_state<S> : S {
    repeat_limits repeat;

    using state_fields = fields_of<S, &repeated_state::repeat>;
};

/// Runs a strategy again as long as it ends in `tuned`, each time from the best kernel so far, at
/// most `limits.rounds` times. The strategy's terminals must be `tuned`, `unchanged` and `gave_up`;
/// these are the outcome's as well: `tuned` when any round improved the kernel.
template <class Strategy>
struct repeated {
    using state = repeated_state<typename decltype(Strategy::graph)::state_type>;

    /// With what it holds beside its graph.
    Strategy strategy{};
    repeat_limits limits{};
    using number_fields = fields<&repeated::strategy, &repeated::limits>;

    /// `repeated(one_prompt)`
    static constexpr std::string_view name = detail::repeated_name<Strategy>;

    static constexpr bool reads_profiles = requires { requires Strategy::reads_profiles; };
    static constexpr bool asks_reviewer = requires { requires Strategy::asks_reviewer; };

    static constexpr auto retry = retry_of<Strategy>();

    void prepare(state& s) const {
        if constexpr (requires { strategy.prepare(s); }) strategy.prepare(s);
    }
    void adjust(state& s) const {
        if constexpr (requires { strategy.adjust(s); }) strategy.adjust(s);
        s.repeat = limits;
    }

    static constexpr auto round = dsl::sub<Strategy>;
    static constexpr auto graph = [] {
        using namespace dsl;
        return lkt::graph<state>(
            node<begin_step>(limit<&state::repeat, &repeat_limits::rounds>(stop<tuned>), to(round)),
            node<round>(on<tuned>(begin_step),
                        on<unchanged>(look_back_unchanged),
                        on<gave_up>(look_back_gave_up)),
            node<look_back_unchanged>(on<since_start::improved>(stop<tuned>),
                                      on<since_start::same>(stop<unchanged>)),
            node<look_back_gave_up>(on<since_start::improved>(stop<tuned>),
                                    on<since_start::same>(stop<gave_up>)));
    }();
};

} // namespace lkt
