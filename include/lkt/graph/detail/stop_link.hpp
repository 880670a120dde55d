// SPDX-License-Identifier: BSL-1.0
// Stop tokens that a run hands down: to visits that must end in time, and to branches.
#pragma once

#include <lkt/core/error.hpp>
#include <lkt/graph/detail/run_context.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

namespace lkt::detail {

// ------------------------------------------------------------------------- tokens in the tools

/// `Reference` is one to a stop token, possibly a constant one.
template <class Reference>
inline constexpr bool to_token = std::is_same_v<std::remove_cvref_t<Reference>, std::stop_token>;

/// Calls `call(token)` for each stop token that the tools hold: `stop` and `context.stop`.
template <class Tools, class Call>
constexpr void for_each_token(Tools& tools, Call call) {
    if constexpr (requires { requires to_token<decltype((tools.stop))>; }) call(tools.stop);
    if constexpr (requires { requires to_token<decltype((tools.context.stop))>; })
        call(tools.context.stop);
}

/// Tools in which another token can be put in place of theirs.
template <class Tools>
concept holds_token = requires(Tools& t) {
    requires std::is_same_v<decltype((t.stop)), std::stop_token&>;
} || requires(Tools& t) { requires std::is_same_v<decltype((t.context.stop)), std::stop_token&>; };

/// Puts a token into the tools for as long as it lives.
template <class Tools>
class token_loan {
public:
    token_loan(Tools& tools, std::stop_token const& token) : tools_(tools) {
        if constexpr (holds_token<Tools>)
            for_each_token(tools_, [&, i = std::size_t{0}](auto& theirs) mutable {
                if constexpr (std::is_assignable_v<decltype(theirs), std::stop_token>)
                    own_[i++] = std::exchange(theirs, token);
            });
    }
    token_loan(token_loan const&) = delete;
    token_loan& operator=(token_loan const&) = delete;
    ~token_loan() {
        if constexpr (holds_token<Tools>)
            for_each_token(tools_, [&, i = std::size_t{0}](auto& theirs) mutable {
                if constexpr (std::is_assignable_v<decltype(theirs), std::stop_token>)
                    theirs = std::move(own_[i++]);
            });
    }

private:
    Tools& tools_;
    std::array<std::stop_token, 2> own_; ///< `stop`, `context.stop`
};

// --------------------------------------------------------------------------- sources and deadlines

/// The tokens that end what a run does now: its own, and those in the tools.
using token_set = std::array<std::stop_token, 3>;

template <class X>
[[nodiscard]] token_set tokens_around(X const& x) {
    token_set all;
    std::size_t i = 0;
    if constexpr (X::stoppable) all[i++] = x.stop;
    for_each_token(x.tools, [&](std::stop_token const& token) { all[i++] = token; });
    return all;
}

/// A stop source that is triggered with any of the tokens around it.
class linked_stop {
public:
    explicit linked_stop(token_set around);
    linked_stop(linked_stop const&) = delete;
    linked_stop& operator=(linked_stop const&) = delete;

    void request() { source_.request_stop(); }
    [[nodiscard]] bool requested() const { return source_.stop_requested(); }
    [[nodiscard]] std::stop_token const& token() const { return token_; }
    /// Whether it came from one of the tokens around.
    [[nodiscard]] bool from_outside() const;

private:
    struct forward {
        std::stop_source source;
        void operator()() const { (void)std::stop_source(source).request_stop(); }
    };

    token_set around_;
    std::stop_source source_;
    std::stop_token token_;
    std::array<std::optional<std::stop_callback<forward>>, std::tuple_size_v<token_set>> links_;
};

/// Triggers the source when the time is over; 0 or less is no limit.
class deadline {
public:
    deadline(std::int64_t ms, linked_stop& stop);
    deadline(deadline const&) = delete;
    deadline& operator=(deadline const&) = delete;

    /// What a failure of the node means: that it was cancelled is the deadline's doing, unless
    /// somebody else stopped it.
    [[nodiscard]] error judge(error why, std::string_view node) const;

private:
    std::int64_t ms_;
    linked_stop& stop_;
    std::atomic<bool> rang_ = false;
    std::jthread clock_; // last: it ends before the rest goes
};

/// The same run with another stop token.
template <class X>
[[nodiscard]] auto with_token(X& x, std::stop_token const& token) {
    using tools = std::remove_reference_t<decltype(x.tools)>;
    using waiter = std::remove_reference_t<decltype(x.waiter)>;
    using observers = decltype(x.observers);
    using keeping = std::remove_reference_t<decltype(x.keeping)>;
    return run_context<tools, std::stop_token const, waiter, observers, true, keeping>(
        x.tools, token, x.waiter, x.observers, x.keeping);
}

} // namespace lkt::detail
