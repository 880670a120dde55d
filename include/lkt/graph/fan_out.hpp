// SPDX-License-Identifier: BSL-1.0
// Nodes that run branches side by side, each on a copy of its part of the state:
// `fan_out(focus<&S::left>(improve{}), focus<&S::right>(improve{}))` has a fixed number of them,
// `fan_out_over<&S::samples, 4>(improve{})` one for each element of a member.
#pragma once

#include <lkt/core/type_name.hpp>
#include <lkt/graph/clause.hpp>
#include <lkt/graph/detail/pack.hpp>
#include <lkt/graph/diagnose.hpp>
#include <lkt/graph/focus.hpp>
#include <lkt/graph/node.hpp>

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace lkt {

/// How many branches succeeded: the outcome of a `fan_out` that keeps failures in the state.
enum class joined { all, some, none };

/// A branch that failed, as the state keeps it.
struct branch_failure {
    int branch = 0; ///< its number, from 0
    condition kind = condition::rejected;
    std::string code, message, hint; ///< of the `error`

    friend bool operator==(branch_failure const&, branch_failure const&) = default;
};

/// Joins the branches of one member: `fn(part, ends)` with the part as it was before, which it
/// writes, and a vector of what the branches that succeeded made of theirs, in their order.
template <auto Member, class Fn>
struct reduce_t {};

/// Keeps the failures of branches in the state, in a `std::vector<branch_failure>`.
template <auto Member>
struct failures_t {};

namespace detail {

template <class Pointer>
struct member_target;
template <class Class, class T>
struct member_target<T Class::*> : std::type_identity<T> {};
template <auto Member>
using member_of = typename member_target<decltype(Member)>::type;

/// One branch: a node or graph on a copy of a part.
template <auto Member, class Callable, class Part = member_of<Member>>
struct branch {
    static constexpr auto member = Member;
    using callable = Callable;
    using part = Part;
    using signature = node_signature<Callable, Part>;

    static constexpr bool accepted =
        signature::accepts && outcome_values<typename signature::outcome>::valid;
    /// A branch is called what its part is called.
    static constexpr std::string_view name() { return pointee_name<Member>; }
};

template <auto A, auto B>
inline constexpr bool same_member = false;
template <auto A>
inline constexpr bool same_member<A, A> = true;

template <auto Member, class Reduction>
inline constexpr bool reduces = false;
template <auto Member, class Fn>
inline constexpr bool reduces<Member, reduce_t<Member, Fn>> = true;

/// Each argument of `fan_out` as packs: of branches, of reductions, and of where failures go.
template <class Argument>
struct fan_part {
    static constexpr bool known = false;
    using branches = pack<>;
    using reductions = pack<>;
    using failures = pack<>;
};
template <auto Member, class Inner>
struct fan_part<focused_node<Member, Inner>> : fan_part<void> {
    static constexpr bool known = true;
    using branches = pack<branch<Member, Inner>>;
};
template <auto Member, class Inner>
struct fan_part<focused_graph<Member, Inner>> : fan_part<void> {
    static constexpr bool known = true;
    using branches = pack<branch<Member, Inner>>;
};
template <auto Member, class Fn>
struct fan_part<reduce_t<Member, Fn>> : fan_part<void> {
    static constexpr bool known = true;
    using reductions = pack<reduce_t<Member, Fn>>;
};
template <auto Member>
struct fan_part<failures_t<Member>> : fan_part<void> {
    static constexpr bool known = true;
    using failures = pack<failures_t<Member>>;
};
template <>
struct fan_part<absent> : fan_part<void> {
    static constexpr bool known = true;
};
template <class T>
using is_fan_part = std::bool_constant<fan_part<T>::known>;

template <class... Packs>
struct concatenated;
template <>
struct concatenated<> : std::type_identity<pack<>> {};
template <class... A>
struct concatenated<pack<A...>> : std::type_identity<pack<A...>> {};
template <class... A, class... B, class... Rest>
struct concatenated<pack<A...>, pack<B...>, Rest...> : concatenated<pack<A..., B...>, Rest...> {};

/// What both kinds of nodes say of themselves. `Threads` is how many run at a time.
template <auto Threads, class Branches, class Failures>
struct fan_base;
template <auto Threads, class... Branches, auto... Kept>
struct fan_base<Threads, pack<Branches...>, pack<failures_t<Kept>...>> {
    using lkt_fan = void;
    using branches = pack<Branches...>;
    using threads = sourced<Threads>;
    static constexpr bool keeps_failures = sizeof...(Kept) > 0;
    static constexpr bool fallible = (Branches::signature::fallible || ...);
    static constexpr bool poisoned = (Branches::signature::poisoned || ...);
    using outcome = std::conditional_t<keeps_failures, joined, void>;

    template <class State>
    static constexpr bool accepts =
        (Branches::accepted && ...) && threads::template readable<State> && requires(State& s) {
            ((void)(s.*Branches::member), ...);
            ((s.*Kept = std::vector<branch_failure>()), ...);
        };

    template <class State>
    static void keep(State& state, std::vector<branch_failure>&& failures) {
        ((state.*Kept = std::move(failures)), ...);
    }
};

} // namespace detail

/// See `dsl::fan_out`.
template <auto Threads, class Branches, class Reductions, class Failures>
struct fan_out_t : detail::fan_base<Threads, Branches, Failures> {
    using reductions = Reductions;
};

/// See `dsl::fan_out_over`.
template <auto Member, auto Threads, class Inner, class Failures>
struct fan_over_t
    : detail::fan_base<
          Threads,
          detail::pack<
              detail::branch<Member, Inner, typename detail::member_of<Member>::value_type>>,
          Failures> {
    static constexpr auto member = Member;
    using element_branch =
        detail::branch<Member, Inner, typename detail::member_of<Member>::value_type>;
};

namespace detail {

template <auto Member, class... Branches>
inline constexpr int branches_on = (0 + ... + int(same_member<Member, Branches::member>));

template <class Reduction, class Branches, class Reductions>
struct reduction_fits;
template <auto Member, class Fn, class... Branches, class... Reductions>
struct reduction_fits<reduce_t<Member, Fn>, pack<Branches...>, pack<Reductions...>> {
    static constexpr bool
        value = branches_on<Member, Branches...> > 0 &&
                (0 + ... + int(reduces<Member, Reductions>)) == 1 &&
                std::is_empty_v<Fn>&& std::is_default_constructible_v<Fn>&& std::
                    is_invocable_v<Fn const&, member_of<Member>&, std::vector<member_of<Member>>&>;
};

/// The diagnostic of the first branch whose part another one has too; `void` when all are joined.
template <class All, class Reductions>
constexpr auto shared_part_of(pack<>) {
    return std::type_identity<void>{};
}
template <class All, class Reductions, class First, class... Rest>
constexpr auto shared_part_of(pack<First, Rest...>) {
    constexpr bool shared = []<class... B, class... R>(pack<B...>, pack<R...>) {
        return branches_on<First::member, B...> > 1 && !(reduces<First::member, R> || ...);
    }(All{}, Reductions{});
    if constexpr (shared)
        return std::type_identity<diagnostic::shared_part<First::member>>{};
    else
        return shared_part_of<All, Reductions>(pack<Rest...>{});
}

template <class Branches, class Reductions>
struct reduction_among {
    template <class Reduction>
    using fits = reduction_fits<Reduction, Branches, Reductions>;
};

/// The diagnostic for the arguments of a `fan_out`; `void` when there is nothing to say.
template <class... Branches, class... Reductions, class... Failures>
constexpr auto fan_misuse(pack<Branches...>, pack<Reductions...>, pack<Failures...>) {
    using branches = pack<Branches...>;
    using among = reduction_among<branches, pack<Reductions...>>;
    using unfit = typename first_without<among::template fits, Reductions...>::type;
    if constexpr (sizeof...(Branches) == 0 || sizeof...(Failures) > 1)
        return std::type_identity<diagnostic::fan_out_parts<branches>>{};
    else if constexpr (!std::is_void_v<unfit>)
        return std::type_identity<diagnostic::reduction<unfit>>{};
    else
        return shared_part_of<branches, pack<Reductions...>>(branches{});
}

/// The node of these arguments, or the `type_identity` of the diagnostic.
template <auto Threads, class... Parts>
constexpr auto make_fan_out() {
    using branches = typename concatenated<typename fan_part<Parts>::branches...>::type;
    using reductions = typename concatenated<typename fan_part<Parts>::reductions...>::type;
    using failures = typename concatenated<typename fan_part<Parts>::failures...>::type;
    using argument = typename first_without<is_fan_part, Parts...>::type;
    using misuse = typename decltype(fan_misuse(branches{}, reductions{}, failures{}))::type;
    if constexpr (!limit_source<Threads>) {
        return std::type_identity<diagnostic::fan_out_threads<decltype(Threads)>>{};
    } else if constexpr (!std::is_void_v<argument>) {
        return std::type_identity<diagnostic::fan_out_argument<argument>>{};
    } else if constexpr (!std::is_void_v<misuse>) {
        return std::type_identity<misuse>{};
    } else {
        return fan_out_t<Threads, branches, reductions, failures>{};
    }
}

template <auto Member>
concept vector_member = std::is_member_object_pointer_v<decltype(Member)> && requires {
    typename member_of<Member>::value_type;
    requires std::same_as<member_of<Member>, std::vector<typename member_of<Member>::value_type>>;
};

template <auto Member, auto Threads, class Inner, class... Parts>
constexpr auto make_fan_over() {
    using failures = typename concatenated<typename fan_part<Parts>::failures...>::type;
    using others = typename concatenated<typename fan_part<Parts>::branches...,
                                         typename fan_part<Parts>::reductions...>::type;
    using argument = typename first_without<is_fan_part, Parts...>::type;
    if constexpr (!vector_member<Member>) {
        return std::type_identity<diagnostic::fan_out_member<decltype(Member)>>{};
    } else if constexpr (!limit_source<Threads>) {
        return std::type_identity<diagnostic::fan_out_threads<decltype(Threads)>>{};
    } else if constexpr (!std::is_void_v<argument>) {
        return std::type_identity<diagnostic::fan_out_argument<argument>>{};
    } else if constexpr (!std::is_same_v<others, pack<>> || sizeof...(Parts) > 1) {
        return std::type_identity<diagnostic::fan_out_parts<others>>{};
    } else if constexpr (has_graph<Inner>) {
        return fan_over_t<Member, Threads, sub_t<Inner>, failures>{};
    } else {
        return fan_over_t<Member, Threads, Inner, failures>{};
    }
}

template <class Fan>
constexpr auto reported_fan(Fan fan) {
    return fan;
}
template <class Diagnostic>
constexpr auto reported_fan(std::type_identity<Diagnostic>) {
    using reported [[maybe_unused]] = decltype(misuse<Diagnostic>());
    return misused_node{};
}

} // namespace detail

} // namespace lkt
