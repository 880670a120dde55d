// SPDX-License-Identifier: BSL-1.0
// Asking no faster than a server allows.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/time_source.hpp>
#include <lkt/core/units.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/describe.hpp>
#include <lkt/llm/detail/complete_in_parts.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

/// How much a server is asked at most.
struct rate_limits {
    double requests_per_minute = 0; ///< 0: no limit
    double tokens_per_minute = 0;   ///< input and output together; 0: no limit
    std::size_t in_flight = 0;      ///< most calls at once; 0: no limit
    /// The budget of this much time may be used at once after a pause (at least one request).
    seconds burst{6};
    /// Tokens that a reply is taken to have beforehand where its request sets no `max_tokens`.
    std::int64_t expected_output = 1000;
    /// A call that is next and would have to wait longer than this fails immediately.
    seconds max_wait{600};
    time_source clock = {}; ///< empty: the system's
};

/// The limits of one account on one server. Copies share them, so that several models can; may be
/// used from several threads, which are served in the order of their arrival.
class rate_limiter {
public:
    explicit rate_limiter(rate_limits limits);

    /// The right to make one call, until `settle` or destruction.
    class permit {
    public:
        permit(permit&&) noexcept;
        ~permit();
        /// Corrects the estimate; a transient failure that says when to try again holds all calls
        /// back until then.
        void settle(result<chat_reply> const& outcome);

    private:
        friend class rate_limiter;
        struct entry;
        explicit permit(std::unique_ptr<entry> e);
        std::unique_ptr<entry> entry_;
    };

    /// Waits for its turn. Errors: `lkt.rate.busy` (transient, says when), `lkt.cancelled`.
    [[nodiscard]] result<permit> enter(chat_request const& request, std::stop_token const& stop);
    /// A permit, if one is available now and no other caller waits for it.
    [[nodiscard]] std::optional<permit> try_enter(chat_request const& request);

private:
    class state;
    std::shared_ptr<state> state_;
};

/// A model over a model: delays calls so that requests and tokens per minute, and concurrent calls,
/// stay within the limits. Both budgets fill evenly (token buckets). A call's tokens are estimated
/// (four bytes a token, and `max_tokens` or the expected output) and corrected after it. A stop
/// request ends a wait immediately.
///
/// Errors besides those of the model: `lkt.rate.busy` (transient, with `retry_after`: the wait
/// would be longer than `max_wait`). A batch is sent in parts that fit the limits. `M` may be a
/// reference type. Copies share the limits.
template <class M>
class rate_limited {
public:
    rate_limited(M model, rate_limits limits)
        : rate_limited(std::forward<M>(model), rate_limiter(std::move(limits))) {}
    /// Shares the limits with other models on the same account.
    rate_limited(M model, rate_limiter limiter)
        : model_(std::forward<M>(model)), limiter_(std::move(limiter)) {}

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context) {
        return detail::complete_through(limiter_, model_, request, context);
    }

    [[nodiscard]] std::vector<result<chat_reply>>
    complete_all(std::span<chat_request const> requests, call_context const& context)
        requires batch_chat_model<M>
    {
        return detail::complete_in_parts(limiter_, model_, requests, context);
    }

    [[nodiscard]] std::string description() const { return describe(model_); }

private:
    M model_;
    rate_limiter limiter_;

    // Last, since clang leaves out of the class what follows a failed assertion.
    static_assert(chat_model<M>,
                  "[lkt.llm.wrapper] rate_limited<M> needs a chat_model: result<chat_reply> "
                  "complete(chat_request const&, call_context const&)");
};

} // namespace lkt
