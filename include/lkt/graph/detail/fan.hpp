// SPDX-License-Identifier: BSL-1.0
// How the branches of a `fan_out` run, and how they are joined.
#pragma once

#include <lkt/graph/detail/step.hpp>
#include <lkt/graph/detail/stop_link.hpp>
#include <lkt/graph/fan_out.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace lkt::detail {

/// Observers of branches: told one event at a time, of fan_outs inside of branches too.
template <class Set>
struct serial_observers {
    static constexpr bool empty = false;
    Set const& all;
    std::mutex& mutex;

    void enter(node_event const& e) const {
        std::lock_guard const alone(mutex);
        all.enter(e);
    }
    void exit(node_event const& e, node_exit const& x) const {
        std::lock_guard const alone(mutex);
        all.exit(e, x);
    }
    void retry(node_event const& e, retry_event const& r) const {
        std::lock_guard const alone(mutex);
        all.retry(e, r);
    }
    void transition(node_event const& e, transition_event const& t) const {
        std::lock_guard const alone(mutex);
        all.transition(e, t);
    }
};
template <class Set>
[[nodiscard]] auto serialised(Set const& set, std::mutex& mutex) {
    if constexpr (Set::empty)
        return set;
    else
        return serial_observers<Set>{set, mutex};
}
template <class Set>
[[nodiscard]] serial_observers<Set> serialised(serial_observers<Set> const& set, std::mutex&) {
    return set;
}

/// Tools that hold a stop token are copied for a branch, which has a token of its own.
template <class Tools>
class branch_tools {
public:
    explicit branch_tools(Tools& tools) : tools_(tools) {}
    [[nodiscard]] Tools& get() { return tools_; }

private:
    static_assert(!holds_token<Tools> || std::is_copy_constructible_v<Tools>,
                  "[lkt.graph.fan-out] tools that hold a stop token are copied for each branch: "
                  "make them copyable, with references to what branches share");
    std::conditional_t<holds_token<Tools>, Tools, Tools&> tools_;
};

/// How a branch ended.
struct branch_end {
    int outcome = failed;
    std::optional<error> failure;
};

/// What branches share while they run: the first to go wrong is remembered and stops the others. A
/// tolerant one takes note of failures and goes on, unless the run itself must end.
class fan_watch {
public:
    fan_watch(token_set around, int count, bool tolerant)
        : stop(std::move(around)), ends(static_cast<std::size_t>(count)), tolerant_(tolerant) {}

    /// Runs all branches, at most so many at a time, and throws what the first of them threw.
    void run(std::int64_t threads, std::function<void(int)> const& branch);
    void failed_with(int branch, error why);

    /// What the whole fails with, if it does.
    [[nodiscard]] std::optional<error> failure() const;
    [[nodiscard]] std::vector<branch_failure> failures() const;
    /// The `joined` that its ends make, or the only outcome of one that fails with any branch.
    [[nodiscard]] int outcome() const;

    linked_stop stop;
    std::vector<branch_end> ends;
    std::mutex observing;

private:
    bool tolerant_;
    std::mutex mutex_;
    std::optional<error> cause_; ///< the first failure that is one of the whole
    std::exception_ptr thrown_;
};

/// Enters a branch on its copy of the part; its outcome or `failed`.
template <class Branch, class X>
int enter_branch(typename Branch::part& fork, X& x, typename X::parent event) {
    using F = typename Branch::callable;
    if constexpr (graph_node<F>) {
        cursor<typename F::graph_type> at;
        return enter_graph<F>(at, fork, x, event);
    } else {
        return enter_callable<F, Branch>(fork, x, event);
    }
}

template <class Branch, class X>
int observed_branch(typename Branch::part& fork, X& x, typename X::parent up, int number) {
    if constexpr (X::observed) {
        using outcomes = outcome_values<typename Branch::signature::outcome>;
        node_event const event{up->graph, Branch::name(), number, up->depth + 1, up, number};
        exit_guard guard(x.observers, event);
        int const outcome = enter_branch<Branch>(fork, x, &event);
        if (outcome != failed)
            guard.tell({outcomes::names[static_cast<std::size_t>(outcome)], nullptr});
        else if constexpr (X::fallible)
            guard.tell({{}, &*x.failure});
        return outcome;
    } else {
        return enter_branch<Branch>(fork, x, up);
    }
}

/// Runs one branch with what it shares with the others.
template <class Branch, class X>
void run_branch(
    typename Branch::part& fork, X& x, typename X::parent up, int number, fan_watch& watch) {
    using tools = std::remove_reference_t<decltype(x.tools)>;
    using waiter = std::remove_reference_t<decltype(x.waiter)>;
    using token = std::conditional_t<X::fallible, std::stop_token const, no_stop>;
    auto const observers = serialised(x.observers, watch.observing);
    branch_tools<tools> own(x.tools);
    std::optional<token_loan<tools>> loan;
    if constexpr (X::fallible) loan.emplace(own.get(), watch.stop.token());
    token stop = [&]() -> std::remove_const_t<token> {
        if constexpr (X::fallible)
            return watch.stop.token();
        else
            return {};
    }();
    nothing_kept unsaved;
    run_context<tools,
                token,
                waiter,
                std::remove_const_t<decltype(observers)>,
                X::fallible,
                nothing_kept>
        inner(own.get(), stop, x.waiter, observers, unsaved);
    int const outcome = observed_branch<Branch>(fork, inner, up, number);
    watch.ends[static_cast<std::size_t>(number)].outcome = outcome;
    if constexpr (X::fallible)
        if (outcome == failed) watch.failed_with(number, std::move(*inner.failure));
}

/// The whole has ended: what it fails with, or else its outcome after `join()`.
template <class F, class State, class X, class Join>
int joined_outcome(State& state, X& x, fan_watch& watch, Join join) {
    if constexpr (X::fallible) {
        if (auto failure = watch.failure()) {
            x.failure = std::move(failure);
            return failed;
        }
    }
    join();
    F::keep(state, watch.failures());
    return watch.outcome();
}

// --------------------------------------------------------------------- a fixed list of branches

template <class Reduction>
struct reduced_member;
template <auto Member, class Fn>
struct reduced_member<reduce_t<Member, Fn>> {
    static constexpr auto value = Member;
};

template <auto Member, class State>
void put(State& state, std::optional<member_of<Member>>& part) {
    if (part) state.*Member = std::move(*part);
}

/// The copies of the parts, and how they come back.
template <class Branches, class Reductions>
struct fork_join;
template <class... Branches, class... Reductions>
struct fork_join<pack<Branches...>, pack<Reductions...>> {
    static constexpr auto all = std::index_sequence_for<Branches...>();
    static constexpr int count = static_cast<int>(sizeof...(Branches));
    std::tuple<std::optional<typename Branches::part>...> forks;

    /// Calls `call(branch, fork)` for the branch of this number.
    template <class Call, std::size_t... I>
    void at(int number, Call call, std::index_sequence<I...>) {
        (void)((static_cast<int>(I) == number && (call(Branches{}, std::get<I>(forks)), true)) ||
               ...);
    }

    /// What a reduction makes of the forks that are left; nothing when none is.
    template <auto Member, class Fn, class State, std::size_t... I>
    auto reduced(State const& state, reduce_t<Member, Fn>, std::index_sequence<I...>) {
        std::vector<member_of<Member>> ends;
        auto const take = [&]<class Branch>(Branch, auto& fork) {
            if constexpr (same_member<Member, Branch::member>)
                if (fork) ends.push_back(std::move(*fork));
        };
        (take(Branches{}, std::get<I>(forks)), ...);
        std::optional<member_of<Member>> part;
        if (!ends.empty()) Fn{}(part.emplace(state.*Member), ends);
        return part;
    }

    /// Nothing is written before all that can throw is done.
    template <class State, std::size_t... I, std::size_t... R>
    void join(State& state, std::index_sequence<I...>, std::index_sequence<R...>) {
        [[maybe_unused]] auto parts =
            std::tuple(reduced(std::as_const(state), Reductions{}, all)...);
        auto const put_one = [&]<class Branch>(Branch, auto& fork) {
            if constexpr (!(reduces<Branch::member, Reductions> || ...))
                put<Branch::member>(state, fork);
        };
        (put_one(Branches{}, std::get<I>(forks)), ...);
        (put<reduced_member<Reductions>::value>(state, std::get<R>(parts)), ...);
    }
    template <class State>
    void join(State& state, fan_watch const& watch) {
        for (int number = 0; number < count; ++number)
            if (watch.ends[static_cast<std::size_t>(number)].outcome == failed)
                at(number, [](auto, auto& fork) { fork.reset(); }, all);
        join(state, all, std::index_sequence_for<Reductions...>());
    }
};

template <class X>
[[nodiscard]] token_set tokens_of_branches(X const& x) {
    // Branches that cannot fail are not stopped either.
    if constexpr (X::fallible)
        return tokens_around(x);
    else
        return {};
}

template <class F, class State, class X>
int fan_list(State& state, X& x, typename X::parent event) {
    fork_join<typename F::branches, typename F::reductions> forks;
    fan_watch watch(tokens_of_branches(x), forks.count, F::keeps_failures);
    watch.run(F::threads::allowed(state), [&](int number) {
        forks.at(
            number,
            [&]<class Branch>(Branch, auto& fork) {
                fork.emplace(std::as_const(state).*Branch::member);
                run_branch<Branch>(*fork, x, event, number, watch);
            },
            forks.all);
    });
    return joined_outcome<F>(state, x, watch, [&] { forks.join(state, watch); });
}

// ------------------------------------------------------------------------ a branch for each
// element

template <class F, class State, class X>
int fan_elements(State& state, X& x, typename X::parent event) {
    using branch = typename F::element_branch;
    auto& items = state.*F::member;
    std::vector<std::optional<typename branch::part>> forks(items.size());
    fan_watch watch(tokens_of_branches(x), static_cast<int>(items.size()), F::keeps_failures);
    watch.run(F::threads::allowed(state), [&](int number) {
        auto const i = static_cast<std::size_t>(number);
        forks[i].emplace(std::as_const(items)[i]);
        run_branch<branch>(*forks[i], x, event, number, watch);
    });
    return joined_outcome<F>(state, x, watch, [&] {
        for (std::size_t i = 0; i < forks.size(); ++i)
            if (watch.ends[i].outcome != failed) items[i] = std::move(*forks[i]);
    });
}

template <class F, class State, class X>
int fan(State& state, X& x, typename X::parent event) {
    if constexpr (requires { typename F::element_branch; })
        return fan_elements<F>(state, x, event);
    else
        return fan_list<F>(state, x, event);
}

} // namespace lkt::detail
