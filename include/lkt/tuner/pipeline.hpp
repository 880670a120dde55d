// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/fields.hpp>
#include <lkt/core/retry.hpp>
#include <lkt/graph/dsl.hpp>
#include <lkt/graph/graph.hpp>
#include <lkt/nodes/baseline.hpp>
#include <lkt/nodes/confirm.hpp>
#include <lkt/nodes/draft.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/nodes/write_kernel.hpp>
#include <lkt/strategies/first_kernel.hpp>
#include <lkt/strategies/terminals.hpp>

#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace lkt {

/// A graph over a state with the documented fields, which the tuner can run.
template <class G>
concept tuning_strategy = requires {
    typename std::remove_cvref_t<decltype(G::graph)>::state_type;
    typename std::remove_cvref_t<decltype(G::graph)>::outcome;
    requires tuning_fields<typename std::remove_cvref_t<decltype(G::graph)>::state_type>;
    requires std::is_default_constructible_v<
        typename std::remove_cvref_t<decltype(G::graph)>::state_type>;
};

/// A strategy that says `static constexpr auto retry = policy` has the tuner's own questions
/// repeated in the same way (`retry_of`).
///
/// A strategy whose prompts are better for profiles says `static constexpr bool reads_profiles =
/// true`: then kernels are profiled unless the run says otherwise (`evaluation_options::profile`).
template <class Strategy>
inline constexpr bool reads_profiles = requires { requires Strategy::reads_profiles; };

/// A strategy that asks for reviews (`purpose::review`), for which a model of its own may be
/// better, says `static constexpr bool asks_reviewer = true`.
template <class Strategy>
inline constexpr bool asks_reviewer = requires { requires Strategy::asks_reviewer; };

/// The State of a whole run: the known parts of the problem, and the strategy's own state.
template <class S>
struct pipeline_state : draft_state {
    S tuning;
    bool confirm = true;    ///< measure the winner against the original once more at the end
    bool confirmed = false; ///< it was, and is the faster one
    first_round first;      ///< of the first kernel, where none is given
    std::vector<attempt_record> written; ///< how that one came about

    using state_fields = fields_of<draft_state,
                                   &pipeline_state::tuning,
                                   &pipeline_state::confirmed,
                                   &pipeline_state::first,
                                   &pipeline_state::written>;
};

namespace detail {

/// Moves what was tried until there was a first kernel out of the way of the strategy.
void keep_first(state_ref const& s, std::vector<attempt_record>& written);
/// Why the run ends without a kernel.
[[nodiscard]] error no_first_kernel(state_ref const& s);

[[nodiscard]] result<bool>
confirm_result(state_ref const& s, tools_ref const& tools, gpu_ref gpu, bool wanted);

/// Ends a run that is about to reach a terminal. If the device fails now, the strategy's result
/// stays, with a note. A saved run that is resumed without a device is not finished.
template <class Terminal>
struct confirm_before {
    static constexpr std::string_view name = "confirm";
    template <class S, tools_with_gpu Tools>
    auto operator()(pipeline_state<S>& s, Tools& tools) const -> result<void> {
        state_ref const tuned(s.tuning);
        tools_ref const its_tools(tools);
        if (s.confirm && !tuned.kept_original())
            if (auto ok = its_tools.before_launches(tuned); !ok) return ok;
        auto const done = confirm_result(tuned, its_tools, gpu_ref(tools.gpu), s.confirm);
        if (!done) return done.error();
        s.confirmed = *done;
        return {};
    }
};
template <class Terminal>
inline constexpr confirm_before<Terminal> confirm_then{};

} // namespace detail

/// A whole run: the model, if there is one, is asked for missing parts of the problem; then come
/// the tests, the original's outputs (the oracle's, where there is no kernel yet, and then the
/// first kernel), its time, the strategy, and the winner against the original.
template <tuning_strategy Strategy, bool WithModel = true>
struct tuning_pipeline {
    using tuning = typename std::remove_cvref_t<decltype(Strategy::graph)>::state_type;
    using state = pipeline_state<tuning>;

    static constexpr auto make_tests = dsl::focus<&state::tuning>(lkt::make_tests);
    static constexpr auto run_reference = dsl::focus<&state::tuning>(lkt::run_reference);
    static constexpr auto time_baseline = dsl::focus<&state::tuning>(lkt::time_baseline);
    static constexpr auto is_written = dsl::focus<&state::tuning>(lkt::is_written);
    static constexpr auto first_kernel = dsl::sub<lkt::first_kernel<state>>;
    static constexpr auto keep_first = [](state& s) -> void {
        detail::keep_first(detail::state_ref(s.tuning), s.written);
    };
    static constexpr auto end_without_kernel = [](state& s) -> result<void> {
        return detail::no_first_kernel(detail::state_ref(s.tuning));
    };
    /// Called like its maker, so that the node has the strategy's own name.
    static constexpr auto focus = dsl::focus<&state::tuning>(dsl::sub<Strategy>);

private:
    static constexpr auto retry = retry_of<Strategy>();

    template <class... Terminals>
    static constexpr auto make(std::type_identity<std::variant<Terminals...>>) {
        using namespace dsl;
        return lkt::graph<state>(
            when<WithModel>(node<is_described>(on<settled::yes>(is_declared),
                                               on<settled::no>(describe_kernel))),
            when<WithModel>(node<describe_kernel>(retrying<retry>(), to(is_declared))),
            when<WithModel>(node<is_declared>(on<settled::yes>(take_problem),
                                              on<settled::no>(declare_problem))),
            when<WithModel>(node<declare_problem>(retrying<retry>(),
                                                  on<supplied::sizes>(fit_timed_size),
                                                  on<supplied::arguments>(take_problem))),
            when<WithModel>(node<fit_timed_size>(to(take_problem))),
            node<take_problem>(to(make_tests)),
            node<make_tests>(to(run_reference)),
            node<run_reference>(to(either<WithModel>(is_written, time_baseline))),
            when<WithModel>(
                node<is_written>(on<settled::yes>(time_baseline), on<settled::no>(first_kernel))),
            when<WithModel>(
                node<first_kernel>(on<written>(keep_first), on<gave_up>(end_without_kernel))),
            when<WithModel>(node<keep_first>(to(time_baseline))),
            when<WithModel>(node<end_without_kernel>(to(time_baseline))),
            node<time_baseline>(to(focus)),
            node<focus>(on<Terminals>(detail::confirm_then<Terminals>)...),
            node<detail::confirm_then<Terminals>>(to(stop<Terminals>))...);
    }

public:
    static constexpr auto graph = make(std::type_identity<outcome_of<Strategy>>{});
};

} // namespace lkt
