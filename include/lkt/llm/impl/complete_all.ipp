// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/complete_all.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace lkt::detail {

/// A pool of threads over one list of requests; the calling thread is one of them.
class request_pool {
public:
    request_pool(void* model,
                 complete_call complete,
                 std::span<chat_request const> requests,
                 call_context const& context)
        : model_(model), complete_(complete), requests_(requests), context_(context),
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
                replies_[i] = complete_(model_, requests_[i], context_);
            } catch (...) {
                std::lock_guard const lock(mutex_);
                if (!thrown_) thrown_ = std::current_exception();
                failed_ = true;
            }
        }
    }

    void* model_;
    complete_call complete_;
    std::span<chat_request const> requests_;
    call_context context_;
    std::vector<result<chat_reply>> replies_;
    std::atomic<std::size_t> next_ = 0;
    std::atomic<bool> failed_ = false;
    std::exception_ptr thrown_;
    std::mutex mutex_;
};

std::vector<result<chat_reply>> complete_on_threads(void* model,
                                                    complete_call complete,
                                                    std::span<chat_request const> requests,
                                                    call_context const& context,
                                                    std::size_t threads) {
    return request_pool(model, complete, requests, context).run(threads);
}

} // namespace lkt::detail
