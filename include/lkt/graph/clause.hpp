// SPDX-License-Identifier: BSL-1.0
// The clauses of a node as types. Each one says in data (`info`) what the analysis needs to know.
#pragma once

#include <lkt/core/error.hpp>
#include <lkt/core/outcome.hpp>
#include <lkt/core/retry.hpp>
#include <lkt/graph/detail/pack.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

namespace lkt {

namespace detail {

template <class...>
inline constexpr bool never = false;

enum class clause_kind : unsigned char {
    absent,
    outcome,
    every_outcome,
    error,
    limit,
    retry,
    poisoned
};

// A target is a node's index, or -1 - t for terminal t.
inline constexpr int no_target = std::numeric_limits<int>::min();

/// A clause with its types turned into indices.
struct clause_info {
    clause_kind kind = clause_kind::absent;
    int slot = -1; ///< the outcome of the node, -1 for one that it does not have; or the condition
    int target = no_target;
    bool tag_has_data = false; ///< the target is a terminal whose tag is not empty
    bool readable = true;      ///< the state has the member that a limit reads
};

} // namespace detail

/// A terminal: the run ends here, and its outcome is this tag.
template <class Tag>
struct stop_t {
    using tag = Tag;
};

/// What `when<false>` leaves of a node or of a clause.
struct absent {
    static constexpr auto kind = detail::clause_kind::absent;
};

namespace detail {

/// Replaces a part that has already been reported, so that no further error follows.
struct poisoned {
    static constexpr auto kind = clause_kind::poisoned;
};

template <class Target>
inline constexpr bool is_stop = false;
template <class Tag>
inline constexpr bool is_stop<stop_t<Tag>> = true;

/// Where a limit has its number from: a constant, a data member of the state, a function of it.
template <auto L>
concept limit_source = std::integral<decltype(L)> || std::is_member_pointer_v<decltype(L)>;

/// ... or a data member of a member of it.
template <auto L, auto... Inner>
concept limit_path =
    limit_source<L> && (sizeof...(Inner) == 0 || std::is_member_object_pointer_v<decltype(L)>) &&
    (std::is_member_object_pointer_v<decltype(Inner)> && ...);

/// A number as the counter's type; a number out of range becomes the largest value.
template <std::integral Number>
constexpr std::int64_t count_from(Number number) {
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    return std::cmp_greater(number, largest) ? largest : static_cast<std::int64_t>(number);
}

} // namespace detail

namespace clauses {

template <auto Value, class Target>
struct on_value {
    static constexpr auto kind = detail::clause_kind::outcome;
    using target = Target;

    template <class Outcome>
    static constexpr int slot() {
        if constexpr (scoped_enum<Outcome> &&
                      std::is_same_v<std::remove_cv_t<decltype(Value)>, Outcome>)
            return enumerators<Outcome>::index(static_cast<long long>(Value));
        else
            return -1;
    }
};

template <class Tag, class Target>
struct on_tag {
    static constexpr auto kind = detail::clause_kind::outcome;
    using target = Target;

    template <class Outcome>
    static constexpr int slot() {
        return among(std::type_identity<Outcome>{});
    }

private:
    template <class... Tags>
    static constexpr int among(std::type_identity<std::variant<Tags...>>) {
        return detail::first_index<Tag, Tags...>();
    }
    template <class Other>
    static constexpr int among(std::type_identity<Other>) {
        return -1;
    }
};

template <class Target>
struct to {
    static constexpr auto kind = detail::clause_kind::every_outcome;
    using target = Target;
};

template <condition Condition, class Target>
struct on_error {
    static constexpr auto kind = detail::clause_kind::error;
    using target = Target;

    template <class>
    static constexpr int slot() {
        return static_cast<int>(Condition);
    }
};

/// Allows a number of visits: `allowed` is how many the state allows now. `Inner` leads from a
/// member of the state to a member of that.
template <auto Source, class Target, auto... Inner>
struct limit {
    static constexpr auto kind = detail::clause_kind::limit;
    static constexpr auto source = Source;
    using target = Target;

    template <class State>
    [[nodiscard]] static constexpr std::int64_t allowed(State const& state) {
        if constexpr (std::is_member_object_pointer_v<decltype(Source)>)
            return detail::count_from(((state.*Source).*....*Inner));
        else if constexpr (std::is_member_function_pointer_v<decltype(Source)>)
            return detail::count_from((state.*Source)());
        else
            return detail::count_from(Source);
    }

    /// False if the state has no such member, or one that is not an integer.
    template <class State>
    static constexpr bool readable = [] {
        if constexpr (std::is_member_object_pointer_v<decltype(Source)>)
            return requires(State const& s) { detail::count_from(((s.*Source).*....*Inner)); };
        else if constexpr (std::is_member_function_pointer_v<decltype(Source)>)
            return requires(State const& s) { detail::count_from((s.*Source)()); };
        else
            return true;
    }();
};

template <auto Policy>
struct retrying {
    static constexpr auto kind = detail::clause_kind::retry;
    static constexpr auto policy = Policy;
};

} // namespace clauses

namespace detail {

template <class C>
concept clause = std::same_as<decltype(C::kind), clause_kind const>;

/// The clause of a node with this outcome, in a graph with these targets.
template <class C, class Outcome, class State, class Targets>
constexpr clause_info describe_clause() {
    clause_info info{.kind = C::kind};
    if constexpr (requires { typename C::target; }) {
        info.target = Targets::template index_of<typename C::target>();
        if constexpr (is_stop<typename C::target>) {
            using tag = typename C::target::tag;
            info.tag_has_data = !std::is_empty_v<tag> || !std::is_default_constructible_v<tag>;
        }
    }
    if constexpr (requires { C::template slot<Outcome>(); })
        info.slot = C::template slot<Outcome>();
    if constexpr (requires { C::template readable<State>; })
        info.readable = C::template readable<State>;
    return info;
}

} // namespace detail

} // namespace lkt
