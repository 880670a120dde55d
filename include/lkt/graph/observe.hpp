// SPDX-License-Identifier: BSL-1.0
// Observers: any object with at least one of the four hooks. `run` takes several; without one the
// hooks cost nothing.
#pragma once

#include <lkt/core/error.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <tuple>

namespace lkt {

/// Where the run is. Lives as long as the visit does; nested graphs chain through `parent`.
struct node_event {
    std::string_view graph;
    std::string_view node;
    int index = 0; ///< of the node in its graph
    int depth = 0; ///< 0 in the graph that was given to `run`
    node_event const* parent = nullptr;
};

/// `refine/attempt/build`: the nodes from the outside in.
[[nodiscard]] std::string path_of(node_event const& event);

/// How a visit ended. Both are empty when an exception passed through.
struct node_exit {
    std::string_view outcome;       ///< enumerator or tag; empty for `void`
    error const* failure = nullptr; ///< set when the node failed, its retries used up
};

/// A failed attempt that is about to be repeated.
struct retry_event {
    int attempt = 1; ///< how many have been made, those of retries within the node included
    std::chrono::milliseconds delay{};
    error const& why;
};

enum class edge_kind : unsigned char { outcome, error, limit };

/// The step to the next node. The cursor is already there, so it may be copied now.
struct transition_event {
    edge_kind kind = edge_kind::outcome;
    std::string_view label;  ///< the outcome, or the condition of an error
    std::string_view target; ///< the next node, or the tag of the terminal
    bool stops = false;      ///< the target is a terminal of this graph
};

namespace detail {

template <class O>
concept sees_enter = requires(O& o, node_event const& e) { o.on_enter(e); };
template <class O>
concept sees_exit = requires(O& o, node_event const& e, node_exit const& x) { o.on_exit(e, x); };
template <class O>
concept sees_retry =
    requires(O& o, node_event const& e, retry_event const& r) { o.on_retry(e, r); };
template <class O>
concept sees_transition =
    requires(O& o, node_event const& e, transition_event const& t) { o.on_transition(e, t); };

} // namespace detail

/// `on_enter(node_event)`, `on_exit(node_event, node_exit)`, `on_retry(node_event, retry_event)`,
/// `on_transition(node_event, transition_event)`: one of them or more.
///
/// Order: each `on_enter` has one `on_exit`, also when an exception passes through; a transition
/// follows the exit; a limit that is used up gives a transition alone.
template <class O>
concept observer = detail::sees_enter<O> || detail::sees_exit<O> || detail::sees_retry<O> ||
                   detail::sees_transition<O>;

namespace detail {

template <class... Observers>
struct observer_set {
    static constexpr bool empty = sizeof...(Observers) == 0;
    std::tuple<Observers&...> all;

    constexpr void enter(node_event const& e) const {
        each([&]<class O>(O& o) {
            if constexpr (sees_enter<O>) o.on_enter(e);
        });
    }
    constexpr void exit(node_event const& e, node_exit const& x) const {
        each([&]<class O>(O& o) {
            if constexpr (sees_exit<O>) o.on_exit(e, x);
        });
    }
    constexpr void retry(node_event const& e, retry_event const& r) const {
        each([&]<class O>(O& o) {
            if constexpr (sees_retry<O>) o.on_retry(e, r);
        });
    }
    constexpr void transition(node_event const& e, transition_event const& t) const {
        each([&]<class O>(O& o) {
            if constexpr (sees_transition<O>) o.on_transition(e, t);
        });
    }

private:
    template <class Call>
    constexpr void each(Call call) const {
        std::apply([&](auto&... observer) { (call(observer), ...); }, all);
    }
};

/// Reports the exit when the visit ends, also by an exception.
template <class Set>
class exit_guard {
public:
    constexpr exit_guard(Set const& set, node_event const& event) : set_(set), event_(event) {
        set_.enter(event_);
    }
    exit_guard(exit_guard const&) = delete;
    exit_guard& operator=(exit_guard const&) = delete;
    constexpr ~exit_guard() {
        if (!told_) set_.exit(event_, {});
    }
    constexpr void tell(node_exit const& x) {
        told_ = true;
        set_.exit(event_, x);
    }

private:
    Set const& set_;
    node_event const& event_;
    bool told_ = false;
};

} // namespace detail

} // namespace lkt
