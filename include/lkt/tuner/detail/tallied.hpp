// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/describe.hpp>

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lkt::detail {

/// A model over a model: counts the requests of calls that fail. Those of replies are in the
/// replies, and from there in the State; of a call that failed no State tells.
template <chat_model M>
class tallied {
public:
    tallied(M& model, std::atomic<std::int64_t>& unanswered)
        : model_(model), unanswered_(unanswered) {}

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context) {
        return count(model_.complete(request, context));
    }

    [[nodiscard]] std::vector<result<chat_reply>>
    complete_all(std::span<chat_request const> requests, call_context const& context)
        requires batch_chat_model<M>
    {
        auto replies = model_.complete_all(requests, context);
        for (auto& reply : replies) reply = count(std::move(reply));
        return replies;
    }

    [[nodiscard]] std::string description() const { return describe(model_); }

private:
    [[nodiscard]] result<chat_reply> count(result<chat_reply> reply) {
        // Nothing comes of a suspended call but a question that waits.
        if (!reply && reply.error().kind != condition::suspended)
            unanswered_ += reply.error().attempts;
        return reply;
    }

    M& model_;
    std::atomic<std::int64_t>& unanswered_;
};

} // namespace lkt::detail
