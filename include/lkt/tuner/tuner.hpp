// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/outcome.hpp>
#include <lkt/core/result.hpp>
#include <lkt/evaluate/standard_checks.hpp>
#include <lkt/evaluate/trial_log.hpp>
#include <lkt/graph/run.hpp>
#include <lkt/llm/ask.hpp>
#include <lkt/nodes/numbers.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/search/exhaustive.hpp>
#include <lkt/store/journalled.hpp>
#include <lkt/tuner/detail/tallied.hpp>
#include <lkt/tuner/options.hpp>
#include <lkt/tuner/pipeline.hpp>
#include <lkt/tuner/problem_from.hpp>
#include <lkt/tuner/run_journal.hpp>
#include <lkt/tuner/tuning_outcome.hpp>
#include <lkt/verify/problem_tests.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace lkt {

namespace detail {

template <class Llm>
inline constexpr bool model_or_none = chat_model<Llm> || std::is_same_v<Llm, no_model>;

/// The strategy's types, or stand-ins after the error that reports it.
template <class Strategy>
struct strategy_types {
    using state = tuning_state;
    using outcome = std::variant<std::monostate>;
};
template <tuning_strategy Strategy>
struct strategy_types<Strategy> {
    using state = typename std::remove_cvref_t<decltype(Strategy::graph)>::state_type;
    using outcome = outcome_of<Strategy>;
};

/// Who answered, as the replies say; none when no model was asked.
[[nodiscard]] model_origin live_origin(model_usage const& usage);

/// A model that does not answer live has a header that says who did (as `replay_model` has).
/// `unanswered`: requests that brought no reply; a model that never answered is called by its
/// description.
template <class Llm>
[[nodiscard]] model_origin origin_of(Llm& llm, model_usage const& usage, std::int64_t unanswered) {
    model_origin from = live_origin(usage);
    if (usage.calls == 0 && unanswered == 0) return from;
    from.origin = "live";
    if constexpr (requires { to_string(llm.header().origin); })
        from.origin = std::string(to_string(llm.header().origin));
    if constexpr (requires { std::string(llm.description()); }) from.remark = llm.description();
    if (usage.calls == 0) from.name = from.remark;
    return from;
}

/// The model that a run asks: one that journals, or the absence of one.
template <class Llm>
struct kept_model {
    using type = Llm;
    Llm& get;
    kept_model(Llm& llm, journal*, std::atomic<std::int64_t>&) : get(llm) {}
};
template <chat_model Llm>
struct kept_model<Llm> {
    using type = journalled<tallied<batch_chat_model<Llm>>>;
    type get;
    kept_model(Llm& llm, journal* in, std::atomic<std::int64_t>& unanswered)
        : get({llm, unanswered}, in != nullptr ? std::optional(*in) : std::nullopt) {}
};

/// The missing parts of a problem, which the user must give if there is no model to ask.
[[nodiscard]] std::optional<error> open_parts(problem_draft const& draft);

/// The tests of the run before, for one on the same problem.
struct known_tests {
    problem task;
    std::uint64_t seed = 0;
    test_suite tests;

    void hand_over(problem const& asked, evaluation_options const& options, test_suite& to);
};

/// What a stop request met (a compilation, a reply) is no reason why a run ended.
[[nodiscard]] error why_stopped(error const& met, std::stop_token const& stop);
/// With why the last kernel was rejected, where the model had not written a first one that passes.
[[nodiscard]] error ended_without_kernel(state_ref const& s, error met);

/// Adds to the history what an evaluation that was interrupted had found out.
void add_unfinished(state_ref const& s, tools_ref const& tools, trial_log const& trials);

/// What the state of a run has come to, moved into its outcome.
void take_over(tuning_outcome& out,
               state_ref const& s,
               journal const* from,
               std::string_view strategy,
               std::chrono::steady_clock::time_point start);

} // namespace detail

/// Tunes kernels: a back end, a language model and a strategy, put together.
///
///     auto outcome = lkt::tuner{gpu, llm, lkt::one_prompt<>{}}.tune(task);
///
/// An lvalue is kept by reference and must outlive the tuner; what is passed as a temporary is
/// moved in. Without a model: `tuner{gpu, lkt::sweep<>{}}`.
///
/// Nodes see the back end through a `gpu_ref`, as `tools.gpu`: a strategy is compiled once,
/// whatever the device and the model are. `tools.gpu.target<B>()` is the back end itself.
///
/// A tuner that is given the same problem again keeps the tests and what the original made of them,
/// in memory as well as on the device.
template <class Gpu,
          class Llm,
          class Strategy,
          class Tests = problem_tests,
          class Search = exhaustive,
          class Checks = standard_checks>
class tuner {
    using gpu_type = std::remove_reference_t<Gpu>;
    using llm_type = std::remove_reference_t<Llm>;
    using types = detail::strategy_types<Strategy>;
    static constexpr bool usable = gpu_backend<gpu_type> && detail::model_or_none<llm_type> &&
                                   tuning_strategy<Strategy> && test_generator<Tests> &&
                                   search_policy<Search> && checks_to_pass<Checks>;

    // One error at a time: the first policy that is wrong.
    static_assert(
        gpu_backend<gpu_type>,
        "[lkt.tuner.gpu] tuner{gpu, llm, strategy}: gpu is not a gpu_backend. It needs "
        "result<device_description> device(call_context const&), "
        "result<compile_outcome> compile(compile_request const&, call_context const&) and "
        "result<run_outcome> run(compiled_kernel const&, run_request const&, "
        "call_context const&)");
    static_assert(!gpu_backend<gpu_type> || detail::model_or_none<llm_type>,
                  "[lkt.tuner.llm] tuner{gpu, llm, strategy}: llm is not a chat_model. It needs "
                  "result<chat_reply> complete(chat_request const&, call_context const&)");
    static_assert(
        !(gpu_backend<gpu_type> && detail::model_or_none<llm_type>) || tuning_strategy<Strategy>,
        "[lkt.tuner.strategy] tuner{gpu, llm, strategy}: strategy is not a strategy over the "
        "tuning fields. It needs static constexpr auto graph = lkt::graph<State>(...), "
        "where State is lkt::tuning_state or has its members");
    static_assert(!(gpu_backend<gpu_type> && detail::model_or_none<llm_type> &&
                    tuning_strategy<Strategy>) ||
                      test_generator<Tests>,
                  "[lkt.tuner.tests] tuner{..., tests}: tests is not a test_generator. It needs "
                  "result<std::vector<test_case>> generate(problem const&, call_context const&)");
    static_assert(!(gpu_backend<gpu_type> && detail::model_or_none<llm_type> &&
                    tuning_strategy<Strategy> && test_generator<Tests>) ||
                      search_policy<Search>,
                  "[lkt.tuner.search] tuner{..., search}: search is not a search_policy. It needs "
                  "start(search_space const&), ask() and tell(configuration, optional<seconds>)");
    static_assert(!(gpu_backend<gpu_type> && detail::model_or_none<llm_type> &&
                    tuning_strategy<Strategy> && test_generator<Tests> && search_policy<Search>) ||
                      checks_to_pass<Checks>,
                  "[lkt.tuner.checks] tuner{..., checks}: checks is not a check_list. Pass a "
                  "check_list<...>, such as standard_checks{} + mine{}, where mine has about and "
                  "run(check_call&)");

public:
    using outcome = typed_outcome<typename types::outcome>;

    tuner(Gpu&& gpu,
          Llm&& llm,
          Strategy strategy,
          Tests tests = {},
          Search search = {},
          Checks checks = {})
        : gpu_(std::forward<Gpu>(gpu)), llm_(std::forward<Llm>(llm)),
          strategy_(std::move(strategy)), tests_(std::move(tests)), search_(std::move(search)),
          checks_(std::move(checks)) {}
    tuner(Gpu&& gpu, Strategy strategy)
        requires std::is_same_v<Llm, no_model>
        : gpu_(std::forward<Gpu>(gpu)), llm_(), strategy_(std::move(strategy)) {}

    /// Runs the strategy on a problem. Errors: the original could not be compiled, run or timed;
    /// `lkt.strategies.number` for a number of the strategy that is out of range. Any other failure
    /// that ends the run early is in the outcome, with the best kernel so far. Observers
    /// (graph/observe.hpp) see each node.
    template <class... Observers>
    [[nodiscard]] result<outcome>
    tune(problem task, tune_options const& options = {}, Observers&&... observers) {
        return tune(problem_draft{std::move(task), {}, false}, options, observers...);
    }

    /// The same for an incomplete problem: the model is first asked for the rest (`declare_tests`).
    /// Errors: also those of `declare_tests`, and `lkt.tuner.open` if there is no model to ask.
    template <class... Observers>
    [[nodiscard]] result<outcome>
    tune(problem_draft draft, tune_options const& options = {}, Observers&&... observers) {
        if constexpr (usable)
            return run_strategy(std::move(draft), options, observers...);
        else
            return error{}; // does not compile anyway
    }

    /// The same from a kernel's text and what it does not say.
    template <class... Observers>
    [[nodiscard]] result<outcome> tune(kernel_source source,
                                       kernel_options const& kernel,
                                       tune_options const& options = {},
                                       Observers&&... observers) {
        auto task = problem_from(std::move(source), kernel);
        if (!task) return task.error();
        return tune(std::move(*task), options, observers...);
    }

private:
    template <class... Observers>
    result<outcome>
    run_strategy(problem_draft draft, tune_options const& options, Observers&... observers) {
        auto const start = std::chrono::steady_clock::now();
        if (auto ok = check_numbers(strategy_, graph_name<Strategy>); !ok) return ok.error();
        constexpr bool asks = !std::is_same_v<llm_type, no_model>;
        if constexpr (!asks)
            if (auto open = detail::open_parts(draft)) return *open;
        pipeline_state<typename types::state> all{};
        all.draft = std::move(draft);
        all.describe = options.describe;
        all.asking = options.declaration;
        all.confirm = options.confirm;
        all.first.limits = options.first_kernel;
        if (auto ok = check_numbers(all.first, "first_kernel"); !ok) return ok.error();
        auto& s = all.tuning;
        if (options.tests)
            s.tests = *options.tests;
        else if (known_)
            known_->hand_over(all.draft.known, options.evaluation, s.tests);
        known_.reset();
        // What a strategy holds beside its graph is for its state.
        if constexpr (requires { strategy_.prepare(s); }) strategy_.prepare(s);
        if constexpr (requires { strategy_.adjust(s); }) strategy_.adjust(s);
        ask_memory answers;
        std::atomic<std::int64_t> unanswered{0}; // requests that brought no reply
        detail::kept_model<llm_type> model(llm_, options.journal, unanswered);
        gpu_ref gpu(gpu_);
        toolbox<gpu_ref, typename detail::kept_model<llm_type>::type, Tests, Search, Checks> tools{
            gpu, model.get, tests_, search_, {options.stop, options.on_text}, checks_};
        tools.evaluation = options.evaluation;
        tools.parts = options.parts;
        if (!reads_profiles<Strategy> && tools.evaluation.profile == profiling::automatic)
            tools.evaluation.profile = profiling::never;
        tools.budget = options.budget;
        if (options.on_progress)
            tools.on_progress = [&](progress_event e) {
                e.model_requests += unanswered;
                options.on_progress(e);
            };
        tools.started = start;
        tools.prompts = options.prompts;
        tools.test_prompts = options.test_prompts;
        tools.planning_prompts = options.planning_prompts;
        tools.answers = options.answers;
        tools.answer_memory = &answers;
        tools.context_tokens = options.context_tokens;

        trial_log trials(options.journal != nullptr ? std::optional(*options.journal)
                                                    : std::nullopt);
        tools.trials = &trials;

        using pipeline = tuning_pipeline<Strategy, asks>;
        cursor<pipeline> at;
        if (options.journal != nullptr)
            if (auto ok = take_up<pipeline>(*options.journal, all, at, tools); !ok)
                return ok.error();
        auto const stop = options.stop;
        // A finished run only gives its result again.
        bool const over = at.finished();
        auto const before =
            options.journal != nullptr ? detail::spent_in(*options.journal) : detail::time_spent();
        detail::run_checkpointer keeper(over ? nullptr : options.journal, trials, before, start);
        auto const ended = run<pipeline>(all, tools, stop, at, keeper, observers...);
        if (!ended && s.baseline.time.empty()) {
            auto const met = detail::ended_without_kernel(detail::state_ref(s),
                                                          detail::why_stopped(ended.error(), stop));
            if (options.on_no_result && !(s.history.empty() && all.written.empty())) {
                tuning_outcome tried;
                tried.written = std::move(all.written);
                tried.stopped_by = met;
                tried.model = detail::origin_of(llm_, s.usage, unanswered);
                tried.seed = options.evaluation.seed;
                detail::take_over(
                    tried, detail::state_ref(s), options.journal, graph_name<Strategy>, start);
                options.on_no_result(tried);
            }
            return met;
        }
        outcome out;
        if (ended) {
            out.reached = *ended;
            out.terminal = std::string(outcome_name(*ended));
        } else {
            out.stopped_by = detail::why_stopped(ended.error(), stop);
        }
        detail::state_ref const state(s);
        if (!ended && !stop.stop_requested() && ended.error().kind != condition::suspended) {
            // What ended the strategy, a budget or a model that is gone, need not end this.
            auto const done =
                detail::confirm_result(state, detail::tools_ref(tools), gpu, options.confirm);
            all.confirmed = done && *done;
        }
        if (!ended) detail::add_unfinished(state, detail::tools_ref(tools), trials);
        out.confirmed = all.confirmed;
        out.declared = std::move(all.declared);
        out.written = std::move(all.written);
        if constexpr (requires { out.planning = std::move(s.planning); })
            out.planning = std::move(s.planning);
        out.model = detail::origin_of(llm_, s.usage, unanswered);
        detail::take_over(out, state, options.journal, graph_name<Strategy>, start);
        out.usage.requests += unanswered;
        auto const spent = over ? before : keeper.spent();
        out.total_time = spent.total;
        out.sessions = spent.sessions;
        out.seed = options.evaluation.seed;
        if (options.journal != nullptr)
            for (std::string const& note : options.journal->notes()) out.notes.push_back(note);
        if (!options.tests)
            known_ = detail::known_tests{out.task, options.evaluation.seed, std::move(s.tests)};
        return out;
    }

    /// Continues the run in the journal, if there is one.
    template <class Pipeline, class Tools>
    result<void>
    take_up(journal& from, typename Pipeline::state& all, cursor<Pipeline>& at, Tools& tools) {
        if constexpr (journalable<typename Pipeline::state>) {
            if (auto ok = detail::begin_problem(from, all.draft); !ok) return ok;
            auto const said = all.first.limits; // as `adjust` does for the strategy's own
            auto const resumed = resume<Pipeline>(from, all, at);
            if (!resumed) return resumed.error();
            if (!*resumed) return {};
            all.first.limits = said;
            if constexpr (requires { strategy_.adjust(all.tuning); }) strategy_.adjust(all.tuning);
            if (at.finished()) return {};
            tools.before_launches = [&from, &tools](detail::state_ref const& s) {
                return detail::prepare_again(
                    from, s, detail::tools_ref(tools), tools.gpu, detail::tests_ref(tools));
            };
            return detail::same_device(
                from, detail::state_ref(all.tuning), tools.context, tools.gpu);
        } else {
            return detail::no_journalable_state(graph_name<Strategy>);
        }
    }

    Gpu gpu_;
    Llm llm_;
    Strategy strategy_;
    Tests tests_;
    Search search_;
    Checks checks_;
    std::optional<detail::known_tests> known_;
};

template <class Gpu, class Llm, class Strategy>
tuner(Gpu&&, Llm&&, Strategy) -> tuner<Gpu, Llm, Strategy>;
template <class Gpu, class Llm, class Strategy, class Tests>
tuner(Gpu&&, Llm&&, Strategy, Tests) -> tuner<Gpu, Llm, Strategy, Tests>;
template <class Gpu, class Llm, class Strategy, class Tests, class Search>
tuner(Gpu&&, Llm&&, Strategy, Tests, Search) -> tuner<Gpu, Llm, Strategy, Tests, Search>;
template <class Gpu, class Llm, class Strategy, class Tests, class Search, class Checks>
tuner(Gpu&&, Llm&&, Strategy, Tests, Search, Checks)
    -> tuner<Gpu, Llm, Strategy, Tests, Search, Checks>;
template <class Gpu, class Strategy>
tuner(Gpu&&, Strategy) -> tuner<Gpu, no_model, Strategy>;

} // namespace lkt
