// SPDX-License-Identifier: BSL-1.0
// The first and the last node of a strategy of several steps.
#pragma once

#include <lkt/nodes/tuning_state.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>

namespace lkt {

enum class search_end {
    improved, ///< the strategy found a faster kernel
    correct,  ///< correct ones, none of them faster
    nothing,  ///< no correct one
};

/// A State that remembers where its strategy began: records in `history` at that time.
template <class S>
concept search_fields = tuning_fields<S> && requires(S& s) {
    { s.began } -> std::same_as<std::size_t&>;
};

namespace detail {

[[nodiscard]] search_end summarize_search(std::span<attempt_record const> history);

template <search_fields S>
[[nodiscard]] std::span<attempt_record const> since_began(S const& s) {
    return std::span(s.history).subspan(std::min(s.began, s.history.size()));
}

} // namespace detail

/// Opens a strategy of several steps.
inline constexpr auto begin_search = []<search_fields S>(S& s) -> void {
    s.attempts.clear();
    s.began = s.history.size();
};

/// What the strategy came to, told from the records since it began.
inline constexpr auto summarize_search = []<search_fields S>(S& s) -> search_end {
    return detail::summarize_search(detail::since_began(s));
};

} // namespace lkt
