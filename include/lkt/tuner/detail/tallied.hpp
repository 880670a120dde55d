// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/describe.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lkt::detail {

/// A model over a model, which must outlive it: counts the requests of calls that fail. Those of
/// replies are in the replies, and from there in the State; of a call that failed no State tells.
/// It hides the model's type: a strategy is compiled once for all models that take batches
/// (`Batches`), and once for all others.
template <bool Batches>
class tallied {
public:
    template <chat_model M>
        requires(batch_chat_model<M> == Batches)
    tallied(M& model, std::atomic<std::int64_t>& unanswered)
        : model_(std::addressof(model)), calls_(&calls_of<M>), unanswered_(unanswered) {}

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context) {
        return count(calls_->complete(model_, request, context));
    }

    [[nodiscard]] std::vector<result<chat_reply>>
    complete_all(std::span<chat_request const> requests, call_context const& context)
        requires Batches
    {
        auto replies = calls_->complete_all(model_, requests, context);
        for (auto& reply : replies) reply = count(std::move(reply));
        return replies;
    }

    [[nodiscard]] std::string description() const { return calls_->describe(model_); }

private:
    struct calls {
        result<chat_reply> (*complete)(void*, chat_request const&, call_context const&);
        /// Null, where it takes none.
        std::vector<result<chat_reply>> (*complete_all)(void*,
                                                        std::span<chat_request const>,
                                                        call_context const&);
        std::string (*describe)(void const*);
    };
    template <class M>
    static constexpr auto batches_of() -> decltype(calls::complete_all) {
        if constexpr (batch_chat_model<M>)
            return [](void* m, std::span<chat_request const> r, call_context const& x) {
                return static_cast<M*>(m)->complete_all(r, x);
            };
        else
            return nullptr;
    }
    template <class M>
    static constexpr calls calls_of{
        [](void* m, chat_request const& r, call_context const& x) {
            return static_cast<M*>(m)->complete(r, x);
        },
        batches_of<M>(),
        [](void const* m) { return lkt::describe(*static_cast<M const*>(m)); }};

    [[nodiscard]] result<chat_reply> count(result<chat_reply> reply) {
        // Nothing comes of a suspended call but a question that waits.
        if (!reply && reply.error().kind != condition::suspended)
            unanswered_ += reply.error().attempts;
        return reply;
    }

    void* model_;
    calls const* calls_;
    std::atomic<std::int64_t>& unanswered_;
};

} // namespace lkt::detail
