// SPDX-License-Identifier: BSL-1.0
// The arguments of `run`, sorted, and what a run carries from node to node.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/wait.hpp>
#include <lkt/graph/checkpointer.hpp>
#include <lkt/graph/cursor.hpp>
#include <lkt/graph/observe.hpp>

#include <cstddef>
#include <optional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

namespace lkt::detail {

struct no_tools {};
struct no_stop {};

template <bool Fallible>
struct failure_slot {
    std::optional<error> failure;
};
template <>
struct failure_slot<false> {};

struct no_checkpointer {};

/// The checkpointer with what it keeps: the outermost state and cursor, from within nested graphs
/// too.
template <class G, class Keeper>
struct keeping {
    cursor<G> const& at;
    state_of<G> const& state;
    Keeper& keeper;
    bool lost = false; ///< what happened is not saved, so nothing more may happen

    [[nodiscard]] result<void> save() {
        auto saved = keeper.save(state, at);
        lost = !saved;
        return saved;
    }
};
template <class G>
struct keeping<G, no_checkpointer> {};

/// Everything but the state and the cursor. Types tell what is absent, so it costs nothing.
template <class Tools, class Stop, class Waiter, class Observers, bool Fallible, class Keeping>
struct run_context : failure_slot<Fallible> {
    static constexpr bool kept = !std::is_empty_v<Keeping>;
    static constexpr bool stoppable = !std::is_same_v<std::remove_cv_t<Stop>, no_stop>;
    static constexpr bool observed = !Observers::empty;
    static constexpr bool fallible = Fallible;
    using parent = std::conditional_t<observed, node_event const*, std::nullptr_t>;

    Tools& tools;
    Stop& stop;
    Waiter& waiter;
    Observers observers;
    Keeping& keeping;

    constexpr run_context(Tools& t, Stop& s, Waiter& w, Observers o, Keeping& k)
        : tools(t), stop(s), waiter(w), observers(o), keeping(k) {}
};

// ------------------------------------------------------------------ which argument is which

template <class A>
struct is_token : std::is_same<std::remove_const_t<A>, std::stop_token> {};
template <class A>
struct is_observer : std::bool_constant<observer<A>> {};
template <class A>
struct is_waiter : std::bool_constant<waiter<A>> {};
template <class G>
struct cursor_for {
    template <class A>
    using is = std::is_same<A, cursor<G>>;
};
template <class G>
struct checkpointer_for {
    template <class A>
    using is = std::bool_constant<checkpointer<A, G>>;
};

template <class G, class A>
inline constexpr bool is_option =
    is_token<A>::value || is_observer<A>::value || is_waiter<A>::value ||
    cursor_for<G>::template is<A>::value || checkpointer_for<G>::template is<A>::value;

/// Tools that carry a token are polled like a token given to `run`.
template <class Tools>
concept carries_stop = is_token<std::remove_cvref_t<decltype(std::declval<Tools&>().stop)>>::value;

/// The first argument with the property, else the fallback.
template <template <class> class Property, class Fallback>
constexpr Fallback& first_or(Fallback& fallback) {
    return fallback;
}
template <template <class> class Property, class Fallback, class A, class... Args>
constexpr auto& first_or(Fallback& fallback, A& a, Args&... args) {
    if constexpr (Property<A>::value)
        return a;
    else
        return first_or<Property>(fallback, args...);
}

template <class... Args>
constexpr auto observers_among(Args&... args) {
    return std::tuple_cat([](auto& a) {
        if constexpr (is_observer<std::remove_reference_t<decltype(a)>>::value)
            return std::tie(a);
        else
            return std::tuple<>();
    }(args)...);
}

template <class... Observers>
constexpr observer_set<Observers...> make_observer_set(std::tuple<Observers&...> all) {
    return {all};
}

} // namespace lkt::detail
