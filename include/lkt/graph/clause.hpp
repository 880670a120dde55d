// SPDX-License-Identifier: BSL-1.0
// The clauses of a node as types. Each one says in data (`info`) what the analysis needs to know.
#pragma once

#include <lkt/core/error.hpp>
#include <lkt/core/outcome.hpp>
#include <lkt/core/retry.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace lkt {

namespace detail {

template <class...>
inline constexpr bool never = false;

enum class clause_kind : unsigned char { absent, outcome, error, limit, retry, poisoned };

struct clause_info {
    clause_kind kind = clause_kind::absent;
    type_id type = nullptr;   ///< of the enum, the tag, or `void` that the outcome belongs to
    long long value = 0;      ///< of the enumerator, or the condition
    type_id target = nullptr; ///< of the callable, or the tag of a `stop`
    bool stops = false;
    bool tag_has_data = false;
};

} // namespace detail

/// A terminal: the run ends here, and its outcome is this tag.
template <class Tag>
struct stop_t {
    using tag = Tag;
};

/// What `when<false>` leaves of a node or of a clause.
struct absent {
    static constexpr detail::clause_info info{};
};

namespace detail {

/// Stands for something that has been reported already, so that nothing else is.
struct poisoned {
    static constexpr clause_info info{.kind = clause_kind::poisoned};
};

template <class Target>
inline constexpr bool is_stop = false;
template <class Tag>
inline constexpr bool is_stop<stop_t<Tag>> = true;

template <class Target>
constexpr clause_info with_target(clause_info info) {
    if constexpr (is_stop<Target>) {
        using tag = typename Target::tag;
        info.target = id_of<tag>;
        info.stops = true;
        info.tag_has_data = !std::is_empty_v<tag> || !std::is_default_constructible_v<tag>;
    } else {
        info.target = id_of<Target>;
    }
    return info;
}

template <auto L>
concept limit_source = std::integral<decltype(L)> || std::is_member_pointer_v<decltype(L)>;

/// A limit as it is counted; one beyond the counter's range is its largest value.
template <std::integral Limit>
constexpr std::int64_t visits_from(Limit limit) {
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    return std::cmp_greater(limit, largest) ? largest : static_cast<std::int64_t>(limit);
}

} // namespace detail

namespace clauses {

template <auto Value, class Target>
struct on_value {
    using target = Target;
    static constexpr auto info = detail::with_target<Target>({
        .kind = detail::clause_kind::outcome,
        .type = detail::id_of<std::remove_cv_t<decltype(Value)>>,
        .value = static_cast<long long>(Value),
    });
};

template <class Tag, class Target>
struct on_tag {
    using target = Target;
    static constexpr auto info = detail::with_target<Target>(
        {.kind = detail::clause_kind::outcome, .type = detail::id_of<Tag>});
};

template <class Target>
struct to {
    using target = Target;
    static constexpr auto info = detail::with_target<Target>(
        {.kind = detail::clause_kind::outcome, .type = detail::id_of<void>});
};

template <condition Condition, class Target>
struct on_error {
    using target = Target;
    static constexpr auto info = detail::with_target<Target>(
        {.kind = detail::clause_kind::error, .value = static_cast<long long>(Condition)});
};

template <auto Source, class Target>
struct limit {
    using target = Target;
    static constexpr auto source = Source;
    static constexpr auto info = detail::with_target<Target>({.kind = detail::clause_kind::limit});

    /// How many visits the state allows now.
    template <class State>
    [[nodiscard]] static constexpr std::int64_t allowed(State const& state) {
        if constexpr (std::is_member_object_pointer_v<decltype(Source)>)
            return detail::visits_from(state.*Source);
        else if constexpr (std::is_member_function_pointer_v<decltype(Source)>)
            return detail::visits_from((state.*Source)());
        else
            return detail::visits_from(Source);
    }

    /// False when the state has no such member, or one that is no integer.
    template <class State>
    static constexpr bool readable = [] {
        if constexpr (std::is_member_object_pointer_v<decltype(Source)>)
            return requires(State const& s) { detail::visits_from(s.*Source); };
        else if constexpr (std::is_member_function_pointer_v<decltype(Source)>)
            return requires(State const& s) { detail::visits_from((s.*Source)()); };
        else
            return true;
    }();
};

template <auto Policy>
struct retrying {
    static constexpr auto policy = Policy;
    static constexpr detail::clause_info info{.kind = detail::clause_kind::retry};
};

} // namespace clauses

namespace detail {

template <class C>
concept clause = std::same_as<std::remove_cv_t<decltype(C::info)>, clause_info>;

template <class C, class State>
inline constexpr bool readable_from = true;
template <auto Source, class Target, class State>
inline constexpr bool readable_from<clauses::limit<Source, Target>, State> =
    clauses::limit<Source, Target>::template readable<State>;

} // namespace detail

} // namespace lkt
