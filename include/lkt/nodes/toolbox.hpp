// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/evaluate/evaluation_options.hpp>
#include <lkt/evaluate/evaluation_setup.hpp>
#include <lkt/evaluate/standard_checks.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/graph/node.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/nodes/planning_prompts.hpp>
#include <lkt/nodes/progress_event.hpp>
#include <lkt/nodes/prompts.hpp>
#include <lkt/nodes/test_prompts.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/search/search_policy.hpp>
#include <lkt/search/search_ref.hpp>
#include <lkt/verify/test_generator.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lkt {

class exhaustive;
struct problem_tests;
enum class answer_mode : unsigned char;
class ask_memory;
class trial_log;

/// Replaces the language model if none is asked.
struct no_model {};

/// What nodes work with: references to the policies, and the run's own settings. A tools type of
/// your own needs the members that its nodes use, under these names: `gpu` and `llm` for most, and
/// any of the others.
template <class Gpu,
          class Llm = no_model,
          class Tests = problem_tests,
          class Search = exhaustive,
          class Checks = standard_checks>
struct toolbox {
    Gpu& gpu;
    Llm& llm;
    Tests& tests;
    Search& search;
    call_context context = {};
    Checks checks = {}; ///< what a kernel must pass
    evaluation_options evaluation = {};
    evaluation_parts parts = {}; ///< what builds, chooses tests, times and decides
    run_budget budget = {};
    progress_sink on_progress = {};
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
    default_prompts prompts = {};           ///< if a strategy has none of its own
    default_test_prompts test_prompts = {}; ///< where a model is asked how a kernel is called
    default_planning_prompts planning_prompts = {};
    answer_mode answers = {};            ///< how structured answers get their form (llm/ask.hpp)
    ask_memory* answer_memory = nullptr; ///< which form the server took
    std::int64_t context_tokens = 0;     ///< `tune_options::context_tokens`
    /// Prepares a resumed run before a kernel runs: its device, and the tests, which no journal
    /// holds. A run that is resumed only to ask a model does not wait for them.
    std::function<result<void>(detail::state_ref const&)> before_launches = {};
    trial_log* trials = nullptr; ///< keeps the results of configurations one by one
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

// What nodes do is compiled once, whatever the policies are: it sees them through these, which are
// good for the length of a call.
namespace detail {

/// The object at an address that `std::addressof` gave of a `T`, which may be const.
template <class T>
[[nodiscard]] T& object_at(void const* address) {
    return *const_cast<T*>(static_cast<T const*>(address));
}

/// The run's own settings, with defaults for what the tools do not bring.
class tools_ref {
public:
    template <class Tools>
        requires(!std::same_as<Tools, tools_ref>)
    explicit tools_ref(Tools& tools) : tools_(std::addressof(tools)) {
        if constexpr (requires { call_context(tools.context); }) context = tools.context;
        if constexpr (requires { checks_ref(tools.checks); }) checks = checks_ref(tools.checks);
        if constexpr (requires { evaluation_options(tools.evaluation); })
            options = tools.evaluation;
        if constexpr (requires { evaluation_parts(tools.parts); }) parts = tools.parts;
        if constexpr (requires {
                          requires std::same_as<std::remove_cvref_t<decltype(tools.answers)>,
                                                answer_mode>;
                      })
            answers = tools.answers;
        if constexpr (requires { static_cast<ask_memory*>(tools.answer_memory); })
            answer_memory = tools.answer_memory;
        if constexpr (requires { static_cast<trial_log*>(tools.trials); }) trials = tools.trials;
        if constexpr (requires { std::int64_t{tools.context_tokens}; })
            context_tokens = tools.context_tokens;
        if constexpr (requires { tools.context.stop; })
            stopped_ = [](void const* t) -> bool {
                return object_at<Tools>(t).context.stop.stop_requested();
            };
        if constexpr (requires { run_budget(tools.budget); })
            limits_ = [](void const* t) -> limits {
                auto& its = object_at<Tools>(t);
                return {its.budget, its.started};
            };
        if constexpr (requires(state_ref const& s) { tools.before_launches(s); })
            before_launches_ = [](void const* t, state_ref const& s) -> result<void> {
                auto& again = object_at<Tools>(t).before_launches;
                return again ? again(s) : result<void>();
            };
        if constexpr (requires { tools.on_progress(progress_event{}); }) {
            if (tools.on_progress)
                progress_ = [](void const* t, progress_event const& e) {
                    object_at<Tools>(t).on_progress(e);
                };
        }
    }

    /// Which part of the budget is used up, as the error that ends the run; nothing while there is
    /// some left. A triggered stop token comes first. Before a call `usage` says what was used;
    /// without it only the time counts: a reply that is paid for is judged.
    [[nodiscard]] std::optional<error> must_end(model_usage const& usage = {}) const;
    /// Before a model is asked for a faster kernel: the budget, or `lkt.tuner.roof` where no faster
    /// one is to be expected.
    [[nodiscard]] std::optional<error> must_end_search(state_ref const& s) const;

    /// The same for work that is left out then: whoever resumes the run goes on with it.
    [[nodiscard]] std::optional<error> leaves_out() const;

    /// Whether a request would leave less than a quarter of the model's context for the answer, as
    /// far as both are known.
    [[nodiscard]] bool are_too_long(conversation const& turns) const;

    /// Prepares a resumed run before a kernel runs; does nothing in any other run.
    [[nodiscard]] result<void> before_launches(state_ref const& s) const;

    void report_progress(state_ref const& s,
                         activity what,
                         std::size_t done = 0,
                         std::size_t total = 0,
                         std::string_view last = {},
                         std::size_t reused = 0) const;

    call_context context;
    checks_ref checks{standard_list};
    evaluation_options options;
    evaluation_parts parts;
    answer_mode answers{};
    ask_memory* answer_memory = nullptr;
    std::int64_t context_tokens = 0;
    trial_log* trials = nullptr;

private:
    static constexpr standard_checks standard_list{}; ///< where the tools bring none
    struct limits {
        run_budget budget;
        std::chrono::steady_clock::time_point started;
    };

    void const* tools_;
    limits (*limits_)(void const*) = nullptr; // read each time: they may change during a run
    bool (*stopped_)(void const*) = nullptr;
    result<void> (*before_launches_)(void const*, state_ref const&) = nullptr;
    void (*progress_)(void const*, progress_event const&) = nullptr;
};

/// What an evaluation is given by a node's state and tools, which must outlive it.
[[nodiscard]] evaluation_setup setup_of(state_ref const& s, tools_ref const& tools, gpu_ref gpu);

/// A chat model of any type, and what it is asked for.
class model_ref {
public:
    template <chat_model M>
        requires(!std::same_as<M, model_ref>)
    explicit model_ref(M& model, lkt::purpose purpose = lkt::purpose::write)
        : model_(std::addressof(model)), purpose_(purpose),
          complete_([](void const* m, chat_request const& r, call_context const& x) {
              return object_at<M>(m).complete(r, x);
          }) {}

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context) const;

private:
    void const* model_;
    lkt::purpose purpose_;
    result<chat_reply> (*complete_)(void const*, chat_request const&, call_context const&);
};

/// The tools' search policy, or an exhaustive one.
template <class Tools>
[[nodiscard]] search_ref search_of(Tools& tools) {
    if constexpr (requires { tools.search; }) {
        static_assert(
            search_policy<std::remove_cvref_t<decltype(tools.search)>>,
            "[lkt.toolbox.search] tools.search is not a search_policy: it needs start(space), "
            "ask() and tell(configuration, time)");
        return search_ref(tools.search);
    } else {
        return search_ref();
    }
}

/// The tools' test generator, or the one of the signature.
class tests_ref {
public:
    template <class Tools>
        requires(!std::same_as<Tools, tests_ref>)
    explicit tests_ref(Tools& tools) {
        if constexpr (requires { tools.tests; }) {
            using generator = std::remove_cvref_t<decltype(tools.tests)>;
            static_assert(test_generator<generator>,
                          "[lkt.toolbox.tests] tools.tests is not a test_generator: it needs "
                          "generate(problem, context)");
            generator_ = std::addressof(tools.tests);
            generate_ = [](void const* g, problem const& task, call_context const& context) {
                return object_at<generator>(g).generate(task, context);
            };
        }
    }

    [[nodiscard]] result<std::vector<test_case>> generate(problem const& task,
                                                          call_context const& context) const;

private:
    void const* generator_ = nullptr;
    result<std::vector<test_case>> (*generate_)(void const*,
                                                problem const&,
                                                call_context const&) = nullptr;
};

} // namespace detail
} // namespace lkt
