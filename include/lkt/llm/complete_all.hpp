// SPDX-License-Identifier: BSL-1.0
// Many requests at once, to any chat model.
#pragma once

#include <lkt/llm/chat_model.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace lkt {

struct complete_all_options {
    /// Most calls in flight for a model without `complete_all` of its own. With 1 they are made one
    /// after the other on the calling thread: for models that are not safe to call from several.
    std::size_t threads = 8;
};

namespace detail {

/// A pool of threads over one list of requests; the calling thread is one of them.
template <chat_model M>
class request_pool {
public:
    request_pool(M& model, std::span<chat_request const> requests, call_context const& context)
        : model_(model), requests_(requests), context_(context),
          replies_(requests.size(), cancelled("a request that had not been sent yet")) {
        // Texts of several replies arrive interleaved, but never two at the same time.
        if (context.on_text)
            context_.on_text = [this, &context](std::string_view text) {
                std::lock_guard const lock(mutex_);
                context.on_text(text);
            };
    }

    std::vector<result<chat_reply>> run(std::size_t threads) {
        std::vector<std::jthread> others;
        std::size_t const wanted = std::min(threads, requests_.size());
        try {
            while (others.size() + 1 < wanted) others.emplace_back([this] { work(); });
        } catch (std::system_error const&) {
            // The system has no more threads; those that exist do the work.
        }
        work();
        others.clear();
        if (thrown_) std::rethrow_exception(thrown_);
        return std::move(replies_);
    }

private:
    void work() {
        for (std::size_t i; !failed_ && (i = next_++) < requests_.size();) {
            if (context_.stop.stop_requested()) return;
            try {
                replies_[i] = model_.complete(requests_[i], context_);
            } catch (...) {
                std::lock_guard const lock(mutex_);
                if (!thrown_) thrown_ = std::current_exception();
                failed_ = true;
            }
        }
    }

    M& model_;
    std::span<chat_request const> requests_;
    call_context context_;
    std::vector<result<chat_reply>> replies_;
    std::atomic<std::size_t> next_ = 0;
    std::atomic<bool> failed_ = false;
    std::exception_ptr thrown_;
    std::mutex mutex_;
};

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
    if constexpr (batch_chat_model<M>)
        return model.complete_all(requests, context);
    else
        return detail::request_pool<M>(model, requests, context).run(options.threads);
}

} // namespace lkt
