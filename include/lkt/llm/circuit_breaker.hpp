// SPDX-License-Identifier: BSL-1.0
// Leaving a server alone that does not answer.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/time_source.hpp>
#include <lkt/core/units.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/describe.hpp>
#include <lkt/llm/detail/complete_in_parts.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

/// When a model is left alone, and for how long.
struct breaker_options {
    int failures = 5;       ///< this many in a row open the breaker; at least 1
    seconds open{30};       ///< how long it lets nothing through
    time_source clock = {}; ///< empty: the system's
};

namespace detail {

/// The state of a breaker; copies share it.
class breaker {
public:
    explicit breaker(breaker_options options);

    /// A call that was let through, until `settle` or destruction.
    class pass {
    public:
        pass(pass&&) noexcept;
        ~pass();
        void settle(result<chat_reply> const& outcome);

    private:
        friend class breaker;
        struct entry;
        explicit pass(std::unique_ptr<entry> e);
        std::unique_ptr<entry> entry_;
    };

    [[nodiscard]] result<pass> enter(chat_request const& request, std::stop_token const& stop);
    /// While it is closed.
    [[nodiscard]] std::optional<pass> try_enter(chat_request const& request);
    [[nodiscard]] bool is_open() const;

private:
    class state;
    std::shared_ptr<state> state_;
};

} // namespace detail

/// A model over a model: after some failures in a row that are `transient` or `unavailable`, calls
/// fail at once for a time. Then one call is let through: if the model answers it, all calls are;
/// otherwise the time starts again. A `rejected` or `exhausted` call counts as answered; a
/// `cancelled` or `suspended` one does not count.
///
/// Error besides those of the model: `lkt.breaker.open` (unavailable; `retry_after` is the
/// remaining time, and absent while the one call is running). `M` may be a reference type. Copies
/// share the breaker. May be used from several threads.
template <class M>
class circuit_breaker {
public:
    explicit circuit_breaker(M model, breaker_options options = {})
        : model_(std::forward<M>(model)), breaker_(std::move(options)) {}

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context) {
        return detail::complete_through(breaker_, model_, request, context);
    }

    [[nodiscard]] std::vector<result<chat_reply>>
    complete_all(std::span<chat_request const> requests, call_context const& context)
        requires batch_chat_model<M>
    {
        return detail::complete_in_parts(breaker_, model_, requests, context);
    }

    /// Whether the next call would fail immediately.
    [[nodiscard]] bool is_open() const { return breaker_.is_open(); }

    [[nodiscard]] std::string description() const { return describe(model_); }

private:
    M model_;
    detail::breaker breaker_;

    // Last, since clang leaves out of the class what follows a failed assertion.
    static_assert(chat_model<M>,
                  "[lkt.llm.wrapper] circuit_breaker<M> needs a chat_model: result<chat_reply> "
                  "complete(chat_request const&, call_context const&)");
};

} // namespace lkt
