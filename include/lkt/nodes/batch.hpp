// SPDX-License-Identifier: BSL-1.0
// Several proposals at once: many calls in flight, then one comparison in measurement.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/complete_all.hpp>
#include <lkt/nodes/evaluate.hpp>
#include <lkt/nodes/prompts.hpp>
#include <lkt/nodes/propose.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt {

/// One of several proposals that are judged together. Its text, its reply and its result are in its
/// record.
struct batch_proposal {
    std::size_t parent = 0; ///< which kernel it rewrites, where the strategy keeps several
    bool patch = false;     ///< requested as a patch instead of a whole kernel
    std::optional<std::size_t> record{};    ///< in `history`; nothing before the model has answered
    std::optional<tuned_kernel> measured{}; ///< where it passed every check, and was to be kept
    std::chrono::milliseconds wait{};       ///< that the server asked for before the next attempt
};

/// How a model is asked for several proposals.
struct batch_limits {
    int in_flight = 8;

    [[nodiscard]] static constexpr auto allowed() {
        return std::array{number_of<&batch_limits::in_flight>(
            1, 1'000, "concurrent calls to a model that does not set this itself")};
    }
    friend bool operator==(batch_limits const&, batch_limits const&) = default;
};

/// The State of strategies that judge several proposals together, or its base.
struct batch_state : tuning_state {
    std::vector<batch_proposal> batch; ///< of this round
    batch_limits calls;

    using state_fields = fields_of<tuning_state, &batch_state::batch, &batch_state::calls>;
    using base_fields = state_fields;
};

template <class S>
concept batch_fields = tuning_fields<S> && requires(S& s) {
    { s.batch } -> std::same_as<std::vector<batch_proposal>&>;
    { s.calls } -> std::same_as<batch_limits&>;
};

enum class asked {
    all,  ///< each proposal has its record
    some, ///< calls failed in a way that may pass: those are still to be made
};

namespace detail {

/// A chat model of any type that is asked for several replies at once.
class batch_model_ref {
public:
    template <chat_model M>
    batch_model_ref(M& model, std::size_t threads)
        : model_(std::addressof(model)), threads_(threads),
          complete_([](void const* m,
                       std::span<chat_request const> requests,
                       call_context const& context,
                       std::size_t most) {
              return lkt::complete_all(object_at<M>(m), requests, context, {.threads = most});
          }) {}

    [[nodiscard]] std::vector<result<chat_reply>>
    complete_all(std::span<chat_request const> requests, call_context const& context) const {
        return complete_(model_, requests, context, threads_);
    }

private:
    void const* model_;
    std::size_t threads_;
    std::vector<result<chat_reply>> (*complete_)(void const*,
                                                 std::span<chat_request const>,
                                                 call_context const&,
                                                 std::size_t);
};

/// What a proposal is asked for, and which kernel it is to rewrite.
struct batch_request {
    batch_proposal* proposal;
    conversation turns;
    conversation latest; ///< where `turns` are too long for the model
    candidate const* before;
};

/// The records before this round, which a request lists as tried. This keeps requests the same when
/// they are repeated after others were answered.
[[nodiscard]] std::span<attempt_record const> before_round(std::span<attempt_record const> history,
                                                           std::span<batch_proposal const> batch);

[[nodiscard]] result<asked> ask_batch(state_ref const& s,
                                      std::vector<batch_proposal>& batch,
                                      tools_ref const& tools,
                                      batch_model_ref model,
                                      std::vector<batch_request> requests);

/// How a batch is evaluated.
struct batch_options {
    std::size_t kept = 0;               ///< how many go through every check though not faster
    double novelty = 1;                 ///< of texts alike above this the second is not evaluated
    std::span<tuned_kernel> known = {}; ///< measured with the others; see `finals::known`
};

[[nodiscard]] result<evaluated> evaluate_batch(state_ref const& s,
                                               std::vector<batch_proposal>& batch,
                                               tools_ref const& tools,
                                               gpu_ref gpu,
                                               search_ref policy,
                                               batch_options const& options);

} // namespace detail

/// Every proposal rewrites the best kernel so far, as `propose` would have it.
struct rewrite_best {
    [[nodiscard]] static candidate const& before(auto const& s, batch_proposal const&) {
        return s.best.kernel;
    }
    template <class S, class Prompts>
    [[nodiscard]] static conversation
    turns(S const& s, batch_proposal const&, Prompts const& prompts, recall how) {
        auto const past = detail::before_round(s.history, s.batch);
        brief const b{
            s.task, s.best, s.baseline.time, s.device, s.step, past, 0, detail::asked_in(s)};
        return conversation_of(recalled(b, how), {}, prompts);
    }
};

/// Asks for each proposal that has no record yet, up to `calls.in_flight` calls at the same time,
/// and takes a candidate from each reply. `Task` makes the request for each. Writes `usage`, a
/// record in `history` for each reply, and `attempts` for unusable ones. Replies are kept if others
/// fail: the node fails only if no proposal was answered. A request that is too long for the model
/// contains only the latest steps, as in `propose`. Cost: one model call per proposal, or fewer if
/// the budget allows no more.
template <class Task = rewrite_best, class Prompts = default_prompts>
struct ask_batch_fn {
    static constexpr std::string_view name = "ask_batch";

    template <batch_fields S, tools_with_llm Tools>
    auto operator()(S& s, Tools& tools) const -> result<asked> {
        if constexpr (detail::tools_with_prompts<Tools, Prompts>)
            return ask(s, tools, tools.prompts);
        else
            return ask(s, tools, Prompts{});
    }

private:
    template <class S, class Tools>
    static result<asked> ask(S& s, Tools& tools, Prompts const& prompts) {
        std::vector<detail::batch_request> requests;
        for (batch_proposal& r : s.batch)
            if (!r.record)
                requests.push_back({&r,
                                    Task::turns(s, r, prompts, recall::all),
                                    Task::turns(s, r, prompts, recall::latest),
                                    &Task::before(s, r)});
        return detail::ask_batch(detail::state_ref(s),
                                 s.batch,
                                 detail::tools_ref(tools),
                                 {tools.llm, detail::count_of(s.calls.in_flight)},
                                 std::move(requests));
    }
};

/// Judges the proposals as `evaluate` would, but together: each is compiled, verified and timed
/// briefly, then the fastest configurations of all of them are measured side by side with the best
/// kernel so far. The fastest becomes the best if it is faster by more than the noise and passes
/// every check. A kernel that was judged before is not judged again. Writes `best`, the proposals'
/// records, and `attempts`. Cost: for each proposal as `evaluate` without its finals; then one
/// final.
inline constexpr auto evaluate_batch =
    []<batch_fields S, tools_with_gpu Tools>(S& s, Tools& tools) -> result<evaluated> {
    return detail::evaluate_batch(detail::state_ref(s),
                                  s.batch,
                                  detail::tools_ref(tools),
                                  gpu_ref(tools.gpu),
                                  detail::search_of(tools),
                                  {});
};

// Written and read in one place, so that who includes this need not compile it.
template <>
struct value_codec<batch_proposal> : compiled_codec<batch_proposal> {};
extern template struct compiled_codec<batch_proposal>;

} // namespace lkt
