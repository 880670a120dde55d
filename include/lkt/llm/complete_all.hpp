// SPDX-License-Identifier: BSL-1.0
// Many requests at once, to any chat model.
#pragma once

#include <lkt/llm/chat_model.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace lkt {

/// How many calls are made at once.
struct complete_all_options {
    /// Most calls in flight for a model without `complete_all` of its own. With 1 they are made one
    /// after the other on the calling thread: for models that are not safe to call from several.
    std::size_t threads = 8;
};

namespace detail {

/// One call to a chat model of any type.
using complete_call = result<chat_reply> (*)(void* model,
                                             chat_request const& request,
                                             call_context const& context);

/// Calls from at most `threads` threads, including the calling thread.
[[nodiscard]] std::vector<result<chat_reply>>
complete_on_threads(void* model,
                    complete_call complete,
                    std::span<chat_request const> requests,
                    call_context const& context,
                    std::size_t threads);

} // namespace detail

/// Asks all `requests`; results are in their order, one for each, and the failure of one does not
/// end the others. Uses the model's own `complete_all`, or else a bounded number of threads that
/// call `complete` at the same time. After a stop request those not yet sent are `cancelled`. An
/// exception (a bug in the model) passes through when all calls have ended. Cost: one model call a
/// request.
template <chat_model M>
[[nodiscard]] std::vector<result<chat_reply>> complete_all(M& model,
                                                           std::span<chat_request const> requests,
                                                           call_context const& context = {},
                                                           complete_all_options options = {}) {
    // any_chat_model, which may hold a model of either kind.
    if constexpr (requires { model.complete_all(requests, context, options); })
        return model.complete_all(requests, context, options);
    else if constexpr (batch_chat_model<M>)
        return model.complete_all(requests, context);
    else
        return detail::complete_on_threads(
            const_cast<void*>(static_cast<void const*>(std::addressof(model))),
            [](void* m, chat_request const& request, call_context const& one) {
                return static_cast<M*>(m)->complete(request, one);
            },
            requests,
            context,
            options.threads);
}

} // namespace lkt
