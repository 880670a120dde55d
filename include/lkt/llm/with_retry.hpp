// SPDX-License-Identifier: BSL-1.0
// Asking again after failures that may pass.
#pragma once

#include <lkt/core/retry.hpp>
#include <lkt/core/wait.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/describe.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace lkt {

namespace detail {

/// A stop request came while `attempts` failed ones were to be followed by another.
[[nodiscard]] error retry_stopped(int attempts);
/// `e`, with the number of attempts, and in its message when there were several.
[[nodiscard]] error after_attempts(int attempts, error e);
/// The reply that came after so many failed attempts.
[[nodiscard]] result<chat_reply> after_failures(int attempts, result<chat_reply> reply);
/// Another number each time, in this process and among processes.
[[nodiscard]] unsigned draw_seed();

/// The policy for one call, with jitter of its own if it has any.
template <class P>
[[nodiscard]] P policy_of_call(P const& policy) {
    if constexpr (requires {
                      { policy.reseeded(0u) } -> std::same_as<P>;
                  })
        return policy.reseeded(draw_seed());
    else
        return policy;
}

} // namespace detail

/// A model over a model: asks again as often as `Policy` says, which sees the failure's condition
/// and the wait that the server asked for. A stop request ends the wait immediately; the result is
/// then `cancelled`. The last failure is returned, with the number of attempts in `error::attempts`
/// and, if there were several, in its message. If the model itself retries, its attempts count: the
/// policy is asked with their sum, so that the numbers of attempts of two layers do not multiply. A
/// reply says how many requests it took. `on_text` gets the text of each attempt, so text from one
/// that failed midway is repeated. `M` may be a reference type.
template <auto Policy, class M, class Waiter = blocking_waiter>
class retried {
public:
    explicit retried(M model, Waiter wait = {})
        : model_(std::forward<M>(model)), waiter_(std::move(wait)) {}

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context) {
        auto const policy = detail::policy_of_call(Policy);
        for (int made = 0;;) {
            auto reply = model_.complete(request, context);
            if (reply) return detail::after_failures(made, std::move(reply));
            error const& e = reply.error();
            made = detail::attempts_with(made, e);
            auto const delay = policy.next(e.kind, made, e.retry_after);
            if (!delay) return detail::after_attempts(made, e);
            if (!waiter_.wait(*delay, context.stop)) return detail::retry_stopped(made);
        }
    }

    /// Sends what failed again as a smaller batch, after the longest of the waits.
    [[nodiscard]] std::vector<result<chat_reply>>
    complete_all(std::span<chat_request const> requests, call_context const& context)
        requires batch_chat_model<M>
    {
        auto const policy = detail::policy_of_call(Policy);
        auto replies = model_.complete_all(requests, context);
        std::vector<std::size_t> open(replies.size());
        for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
        std::vector<int> made(replies.size(), 0);
        while (!open.empty()) {
            std::vector<std::size_t> again;
            std::vector<chat_request> batch;
            std::chrono::milliseconds longest{0};
            for (std::size_t const i : open) {
                if (replies[i]) {
                    replies[i] = detail::after_failures(made[i], std::move(replies[i]));
                    continue;
                }
                error const& e = replies[i].error();
                made[i] = detail::attempts_with(made[i], e);
                auto const delay = policy.next(e.kind, made[i], e.retry_after);
                if (!delay) {
                    replies[i] = detail::after_attempts(made[i], e);
                    continue;
                }
                if (*delay > longest) longest = *delay;
                again.push_back(i);
                batch.push_back(requests[i]);
            }
            if (again.empty()) break;
            bool const waited = waiter_.wait(longest, context.stop);
            if (!waited) {
                for (std::size_t const i : again) replies[i] = detail::retry_stopped(made[i]);
                break;
            }
            auto fresh = model_.complete_all(batch, context);
            for (std::size_t k = 0; k < again.size() && k < fresh.size(); ++k)
                replies[again[k]] = std::move(fresh[k]);
            open = std::move(again);
        }
        return replies;
    }

    [[nodiscard]] std::string description() const { return describe(model_); }

private:
    M model_;
    Waiter waiter_;

    // Last, since clang leaves out of the class what follows a failed assertion.
    static_assert(retry_policy<std::remove_const_t<decltype(Policy)>>,
                  "[lkt.llm.retry] with_retry<Policy> needs a retry_policy: retry_delay "
                  "next(condition, int attempt, retry_delay hint) const");
    static_assert(chat_model<M>,
                  "[lkt.llm.retry] with_retry needs a chat_model: result<chat_reply> "
                  "complete(chat_request const&, call_context const&)");
    static_assert(waiter<Waiter>, "[lkt.llm.retry] Waiter needs bool wait(delay, stop)");
};

/// `with_retry<backoff{.attempts = 5}>(model)`.
template <auto Policy, class M>
[[nodiscard]] retried<Policy, std::remove_cvref_t<M>> with_retry(M&& model) {
    return retried<Policy, std::remove_cvref_t<M>>(std::forward<M>(model));
}

} // namespace lkt
