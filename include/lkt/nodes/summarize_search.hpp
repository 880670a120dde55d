// SPDX-License-Identifier: BSL-1.0
// The first and the last node of a strategy of several steps.
#pragma once

#include <lkt/nodes/ending.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <concepts>
#include <cstddef>
#include <span>

namespace lkt {

/// A State that remembers where its strategy began: records in `history` at that time.
template <class S>
concept search_fields = tuning_fields<S> && requires(S& s) {
    { s.began } -> std::same_as<std::size_t&>;
};

namespace detail {

template <search_fields S>
[[nodiscard]] std::span<attempt_record const> since_began(S const& s) {
    return std::span(s.history).subspan(s.began < s.history.size() ? s.began : s.history.size());
}

} // namespace detail

/// Opens a strategy of several steps.
inline constexpr auto begin_search = []<search_fields S>(S& s) -> void {
    s.attempts.clear();
    s.began = s.history.size();
};

/// What the strategy came to, told from the records since it began.
inline constexpr auto summarize_search = []<search_fields S>(S& s) -> ending {
    return detail::best_ending(detail::since_began(s));
};

} // namespace lkt
