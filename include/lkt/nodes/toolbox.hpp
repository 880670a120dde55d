// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/graph/node.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/nodes/evaluation_options.hpp>
#include <lkt/nodes/progress_event.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/search/exhaustive.hpp>
#include <lkt/verify/signature_tests.hpp>

#include <chrono>
#include <type_traits>
#include <utility>

namespace lkt {

/// Stands for the language model where none is asked.
struct no_model {};

/// What nodes work with: references to the policies, and the run's own settings. A tools type of
/// your own needs the members that its nodes use, under these names: `gpu` and `llm` for most, and
/// any of the others.
template <class Gpu, class Llm = no_model, class Tests = signature_tests, class Search = exhaustive>
struct toolbox {
    Gpu& gpu;
    Llm& llm;
    Tests& tests;
    Search& search;
    call_context context = {};
    evaluation_options evaluation = {};
    run_budget budget = {};
    progress_sink on_progress = {};
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

template <class T>
concept has_gpu = requires(T& t) { requires gpu_backend<std::remove_cvref_t<decltype(t.gpu)>>; };
template <class T>
concept has_llm = requires(T& t) { requires chat_model<std::remove_cvref_t<decltype(t.llm)>>; };

/// What a node that needs a device, or a model, says of its tools. Where it does not hold, `run`
/// reports the node and the tools (`[lkt.graph.tools]`).
template <class T>
concept tools_with_gpu = has_gpu<T> || std::is_same_v<T, any_tools>;
template <class T>
concept tools_with_llm = has_llm<T> || std::is_same_v<T, any_tools>;

namespace detail {

template <class Tools>
[[nodiscard]] call_context context_of(Tools& tools) {
    if constexpr (requires { call_context(tools.context); })
        return tools.context;
    else
        return {};
}

template <class Tools>
[[nodiscard]] evaluation_options options_of(Tools& tools) {
    if constexpr (requires { evaluation_options(tools.evaluation); })
        return tools.evaluation;
    else
        return {};
}

/// Calls `use(policy)` with the tools' search policy, or with an exhaustive one.
template <class Tools, class Use>
decltype(auto) with_search(Tools& tools, Use&& use) {
    if constexpr (requires { tools.search; }) {
        using policy = std::remove_cvref_t<decltype(tools.search)>;
        static_assert(
            search_policy<policy>,
            "[lkt.toolbox.search] tools.search is no search_policy: it needs start(space), "
            "ask() and tell(configuration, time)");
        return std::forward<Use>(use)(tools.search);
    } else {
        exhaustive all;
        return std::forward<Use>(use)(all);
    }
}

/// Calls `use(generator)` with the tools' test generator, or with the one of the signature.
template <class Tools, class Use>
decltype(auto) with_tests(Tools& tools, Use&& use) {
    if constexpr (requires { tools.tests; }) {
        using generator = std::remove_cvref_t<decltype(tools.tests)>;
        static_assert(test_generator<generator>,
                      "[lkt.toolbox.tests] tools.tests is no test_generator: it needs "
                      "generate(problem, context)");
        return std::forward<Use>(use)(tools.tests);
    } else {
        signature_tests defaults;
        return std::forward<Use>(use)(defaults);
    }
}

/// Which part of the budget is used up, as the error that ends the run; nothing while there is some
/// left. A triggered stop token comes first.
template <class Tools>
[[nodiscard]] std::optional<error> must_end(Tools& tools, model_usage const& usage) {
    if constexpr (requires { tools.context.stop; })
        if (tools.context.stop.stop_requested()) return cancelled("the run");
    if constexpr (requires { run_budget(tools.budget); }) {
        run_budget const& b = tools.budget;
        auto const used_up = [](std::string what, char const* option) {
            return error{condition::exhausted,
                         "lkt.tuner.budget",
                         "the run's budget of " + what + " is used up",
                         std::string("raise budget.") + option + " to go on"};
        };
        if (b.time.count() > 0) {
            seconds const spent = std::chrono::steady_clock::now() - tools.started;
            if (spent >= b.time) return used_up(to_string(b.time), "time");
        }
        if (b.model_calls > 0 && usage.calls >= b.model_calls)
            return used_up(std::to_string(b.model_calls) + " model calls", "model_calls");
        if (b.tokens > 0 && usage.tokens.input + usage.tokens.output >= b.tokens)
            return used_up(std::to_string(b.tokens) + " tokens", "tokens");
    }
    return std::nullopt;
}

template <class S, class Tools>
void report_progress(S const& s,
                     Tools& tools,
                     activity what,
                     std::size_t done = 0,
                     std::size_t total = 0,
                     std::string_view last = {}) {
    if constexpr (requires { tools.on_progress(progress_event{}); }) {
        if (!tools.on_progress) return;
        progress_event e;
        e.what = what;
        e.done = done;
        e.total = total;
        // The record of a proposal is opened when the model has answered.
        e.attempt = s.history.size() + (what == activity::asking_model ? 1 : 0);
        if (!s.best.time.empty()) e.best = s.best.time.median();
        if (!s.baseline.time.empty()) e.baseline = s.baseline.time.median();
        e.model_calls = s.usage.calls;
        e.tokens = s.usage.tokens.input + s.usage.tokens.output;
        e.last = last;
        tools.on_progress(e);
    }
}

} // namespace detail
} // namespace lkt
