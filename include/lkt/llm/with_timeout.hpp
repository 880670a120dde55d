// SPDX-License-Identifier: BSL-1.0
// Calls that end in time.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/describe.hpp>

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace lkt {

namespace detail {

/// Stops calls that take too long, from one thread of its own for all of them; copies share it.
class call_timer {
public:
    explicit call_timer(seconds limit);

    /// One call: stopped when its time is over, or when the caller's token is.
    class call {
    public:
        ~call();
        [[nodiscard]] std::stop_token const& token() const;
        /// `outcome`, unless it was cancelled since the time was over.
        [[nodiscard]] result<chat_reply> judge(result<chat_reply> outcome) const;

    private:
        friend class call_timer;
        struct entry;
        call(std::unique_ptr<entry> e, std::stop_token stop);
        std::unique_ptr<entry> entry_; ///< null: without limit
        std::stop_token stop_;
    };

    [[nodiscard]] call begin(std::stop_token const& stop) const;

private:
    class timer_thread;
    std::shared_ptr<timer_thread> timer_thread_;
};

} // namespace detail

/// See `with_timeout`.
template <class M>
class time_limited {
public:
    time_limited(M model, seconds limit) : model_(std::forward<M>(model)), timer_(limit) {}

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context) {
        auto const call = timer_.begin(context.stop);
        return call.judge(model_.complete(request, {call.token(), context.on_text}));
    }

    /// The time is that of the whole batch.
    [[nodiscard]] std::vector<result<chat_reply>>
    complete_all(std::span<chat_request const> requests, call_context const& context)
        requires batch_chat_model<M>
    {
        auto const call = timer_.begin(context.stop);
        auto replies = model_.complete_all(requests, {call.token(), context.on_text});
        for (auto& reply : replies) reply = call.judge(std::move(reply));
        return replies;
    }

    [[nodiscard]] std::string description() const { return describe(model_); }

private:
    M model_;
    detail::call_timer timer_;

    // Last, since clang leaves out of the class what follows a failed assertion.
    static_assert(chat_model<M>,
                  "[lkt.llm.wrapper] with_timeout needs a chat_model: result<chat_reply> "
                  "complete(chat_request const&, call_context const&)");
};

/// A model over a model: stops a call after a time, and then returns `lkt.timeout` (transient) as
/// soon as the model has heeded the stop request, as its law 2 asks it to. A call that the caller
/// stops stays `cancelled`. 0 is no limit. Copies share one thread, which starts with the first
/// call.
template <class M>
[[nodiscard]] time_limited<std::remove_cvref_t<M>> with_timeout(M&& model, seconds limit) {
    return time_limited<std::remove_cvref_t<M>>(std::forward<M>(model), limit);
}

} // namespace lkt
