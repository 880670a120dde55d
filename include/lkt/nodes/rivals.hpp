// SPDX-License-Identifier: BSL-1.0
// Several proposals at once: many calls in flight, then one race in measurement.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/complete_all.hpp>
#include <lkt/nodes/evaluate.hpp>
#include <lkt/nodes/prompts.hpp>
#include <lkt/nodes/propose.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>

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

/// One of several proposals that are judged together. Its text, its reply and what became of it
/// stand in its record.
struct rival {
    std::size_t parent = 0; ///< which kernel it rewrites, where the strategy keeps several
    bool patch = false;     ///< asked for as a patch rather than as a whole kernel
    std::optional<std::size_t> record{};    ///< in `history`; nothing before the model has answered
    std::optional<tuned_kernel> measured{}; ///< where it passed every check, and was to be kept
    std::chrono::milliseconds wait{};       ///< that the server asked for before it is asked again
};

/// The State of strategies that judge several proposals together, or its base.
struct rivals_state : tuning_state {
    std::vector<rival> rivals; ///< of this round

    using state_fields = fields_of<tuning_state, &rivals_state::rivals>;
};

template <class S>
concept rival_fields = tuning_fields<S> && requires(S& s) {
    { s.rivals } -> std::same_as<std::vector<rival>&>;
};

enum class asked {
    all,  ///< each rival has its record
    some, ///< calls failed in a way that may pass: those are still to be made
};

namespace detail {

/// A chat model of any type, asked for several replies at once.
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

/// What a rival is asked for, and which kernel it is to rewrite.
struct rival_request {
    rival* who;
    conversation turns;
    conversation latest; ///< where `turns` are too long for the model
    candidate const* before;
};

/// The records before those of this round: what a request speaks of as tried. Requests that are
/// made again after others were answered are the same that way.
[[nodiscard]] std::span<attempt_record const> before_round(std::span<attempt_record const> history,
                                                           std::span<rival const> rivals);

[[nodiscard]] result<asked> ask_rivals(state_ref const& s,
                                       std::vector<rival>& rivals,
                                       tools_ref const& tools,
                                       batch_model_ref model,
                                       std::vector<rival_request> requests);

struct race_options {
    std::size_t kept = 0;               ///< how many go through every check though not faster
    double novelty = 1;                 ///< of texts alike above this the second is not evaluated
    std::span<tuned_kernel> known = {}; ///< measured with the others; see `finals::known`
};

[[nodiscard]] result<evaluated> race_rivals(state_ref const& s,
                                            std::vector<rival>& rivals,
                                            tools_ref const& tools,
                                            gpu_ref gpu,
                                            search_ref policy,
                                            race_options const& options);

} // namespace detail

/// Every rival rewrites the best kernel so far, as `propose` would have it.
struct rewrite_best {
    [[nodiscard]] static candidate const& before(auto const& s, rival const&) {
        return s.best.kernel;
    }
    template <class S, class Prompts>
    [[nodiscard]] static conversation
    turns(S const& s, rival const&, Prompts const& prompts, recall how) {
        auto const past = detail::before_round(s.history, s.rivals);
        brief const b{s.task, s.best, s.baseline.time, s.device, s.step, past};
        return conversation_of(recalled(b, how), {}, prompts);
    }
};

/// Asks for each rival that has no record yet, up to `Threads` calls in flight, and takes a
/// candidate from each reply. `Task` says what each is asked for. Writes `usage`, a record in
/// `history` for each reply, and `attempts` for those of no use. Replies that came are kept when
/// others fail: the node fails only if none of the rivals has been answered. A request that is too
/// long for the model tells of the latest steps alone, as in `propose`. Cost: one model call a
/// rival, fewer where the budget allows no more.
template <class Task = rewrite_best, class Prompts = default_prompts, std::size_t Threads = 8>
struct ask_rivals_fn {
    static constexpr std::string_view name = "ask_rivals";

    template <rival_fields S, tools_with_llm Tools>
    auto operator()(S& s, Tools& tools) const -> result<asked> {
        if constexpr (detail::tools_with_prompts<Tools, Prompts>)
            return ask(s, tools, tools.prompts);
        else
            return ask(s, tools, Prompts{});
    }

private:
    template <class S, class Tools>
    static result<asked> ask(S& s, Tools& tools, Prompts const& prompts) {
        std::vector<detail::rival_request> requests;
        for (rival& r : s.rivals)
            if (!r.record)
                requests.push_back({&r,
                                    Task::turns(s, r, prompts, recall::all),
                                    Task::turns(s, r, prompts, recall::latest),
                                    &Task::before(s, r)});
        return detail::ask_rivals(detail::state_ref(s),
                                  s.rivals,
                                  detail::tools_ref(tools),
                                  {tools.llm, Threads},
                                  std::move(requests));
    }
};

/// Judges the rivals as `evaluate` would, but in one race: each is compiled, verified and timed
/// briefly, then the fastest configurations of all of them are measured side by side with the best
/// kernel so far. The fastest becomes the best if it is faster by more than the noise and passes
/// every check. A kernel that was judged before is not judged again. Writes `best`, the rivals'
/// records, and `attempts`. Cost: for each rival as `evaluate` without its finals; then one final.
inline constexpr auto race_rivals =
    []<rival_fields S, tools_with_gpu Tools>(S& s, Tools& tools) -> result<evaluated> {
    return detail::race_rivals(detail::state_ref(s),
                               s.rivals,
                               detail::tools_ref(tools),
                               gpu_ref(tools.gpu),
                               detail::search_ref(tools),
                               {});
};

// Written and read in one place, so that who includes this need not compile it.
template <>
struct value_codec<rival> : compiled_codec<rival> {};
extern template struct compiled_codec<rival>;

} // namespace lkt
