// SPDX-License-Identifier: BSL-1.0
// Another model where one fails.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/describe.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace lkt {

/// The failures after which the next model is asked. `rejected`, `cancelled` and `suspended` calls
/// are not passed on: the request is at fault, or waits for someone.
struct fallback_policy {
    bool transient = true;   ///< failures that may pass, after the model's own retries
    bool exhausted = true;   ///< a budget or a quota is used up
    bool unavailable = true; ///< a key, a model or a server that is not there
    /// Also `lkt.http.context-length`: the next model may read more than this one.
    bool context_length = true;

    [[nodiscard]] bool hands_on(error const& e) const;
};

namespace detail {

/// Of the failures of all models the one to return: the last one that may pass, or else the last;
/// the others' codes are in its message.
class failures {
public:
    void add(error e);
    /// How often models were asked in vain.
    [[nodiscard]] int attempts() const;
    /// What the last model said, with the attempts at the others.
    [[nodiscard]] result<chat_reply> counted(result<chat_reply> last) const;
    [[nodiscard]] error verdict() &&;

private:
    std::vector<error> all_;
};

[[nodiscard]] std::string one_of_them(std::vector<std::string> const& descriptions);

} // namespace detail

/// `fallback{first, second, ...}`, a model over models: asks the first one, after its failure the
/// next, and so on; each call starts with the first one again (a `circuit_breaker` around it skips
/// it for a while). `fallback{fallback_policy{...}, first, second}` chooses the failures. `on_text`
/// gets the text of each of them: text of a model that failed midway is not withdrawn, and the next
/// one starts again. The reply's `model` says who answered.
///
/// Errors: a failure that is not passed on; else the last transient failure, or the last one, with
/// the attempts of all models and the shortest wait that a transient failure asked for (none, if
/// one of them asked for none). The models may be of reference types. A batch is kept together if
/// all of them are batch models.
template <class... Ms>
class fallback {
public:
    explicit fallback(Ms... models) : models_(std::forward<Ms>(models)...) {}
    explicit fallback(fallback_policy policy, Ms... models)
        : models_(std::forward<Ms>(models)...), policy_(policy) {}

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context) {
        return ask<0>(request, context, {});
    }

    [[nodiscard]] std::vector<result<chat_reply>>
    complete_all(std::span<chat_request const> requests, call_context const& context)
        requires(batch_chat_model<Ms> && ...)
    {
        std::vector<result<chat_reply>> replies(requests.size(), cancelled("asking the models"));
        std::vector<detail::failures> failed(requests.size());
        std::vector<std::size_t> open(requests.size());
        for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
        auto const ask_one = [&](auto& model) {
            if (open.empty()) return;
            std::vector<chat_request> batch;
            for (std::size_t const i : open) batch.push_back(requests[i]);
            auto fresh = model.complete_all(batch, context);
            std::vector<std::size_t> again;
            for (std::size_t k = 0; k < open.size() && k < fresh.size(); ++k) {
                if (fresh[k] || !policy_.hands_on(fresh[k].error())) {
                    replies[open[k]] = failed[open[k]].counted(std::move(fresh[k]));
                    continue;
                }
                failed[open[k]].add(fresh[k].error());
                again.push_back(open[k]);
            }
            open = std::move(again);
        };
        std::apply([&](auto&... models) { (ask_one(models), ...); }, models_);
        for (std::size_t const i : open) replies[i] = std::move(failed[i]).verdict();
        return replies;
    }

    /// `FIRST, else SECOND`.
    [[nodiscard]] std::string description() const {
        return std::apply(
            [](auto const&... models) { return detail::one_of_them({describe(models)...}); },
            models_);
    }

private:
    template <std::size_t I>
    [[nodiscard]] result<chat_reply>
    ask(chat_request const& request, call_context const& context, detail::failures failed) {
        auto reply = std::get<I>(models_).complete(request, context);
        if (reply || !policy_.hands_on(reply.error())) return failed.counted(std::move(reply));
        failed.add(reply.error());
        if constexpr (I + 1 < sizeof...(Ms))
            return ask<I + 1>(request, context, std::move(failed));
        else
            return std::move(failed).verdict();
    }

    std::tuple<Ms...> models_;
    fallback_policy policy_;

    // Last, since clang leaves out of the class what follows a failed assertion.
    static_assert(sizeof...(Ms) > 0 && (chat_model<Ms> && ...),
                  "[lkt.llm.wrapper] fallback needs chat_models: result<chat_reply> "
                  "complete(chat_request const&, call_context const&)");
};

template <class... Ms>
fallback(Ms...) -> fallback<Ms...>;
template <class... Ms>
fallback(fallback_policy, Ms...) -> fallback<Ms...>;

} // namespace lkt
