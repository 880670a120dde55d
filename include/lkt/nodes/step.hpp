// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/tuning_state.hpp>

#include <algorithm>
#include <string_view>
#include <variant>

namespace lkt {

/// Opens a step: the model starts with a clean sheet from the best kernel so far.
inline constexpr auto begin_step = []<tuning_fields S>(S& s) -> void { s.attempts.clear(); };

/// Proposes the best kernel itself, so that its parameters are tuned.
inline constexpr auto propose_as_is = []<tuning_fields S>(S& s) -> void {
    s.attempts.clear();
    s.proposal = s.best.kernel;
    s.proposal.description = "the kernel as it stands, its parameters tuned";
};

enum class since_start {
    improved, ///< the best kernel is no longer the original
    same,
};

namespace detail {

struct look_back_fn {
    template <tuning_fields S>
    since_start operator()(S& s) const {
        bool const improved =
            std::any_of(s.history.begin(), s.history.end(), [](attempt_record const& a) {
                return std::holds_alternative<improvement>(a.outcome);
            });
        return improved ? since_start::improved : since_start::same;
    }
};

} // namespace detail

/// Did the run improve the kernel before this step? Two of a kind, since a node has one row of
/// edges and this question is asked at two places.
inline constexpr struct look_back_unchanged_fn : detail::look_back_fn {
} look_back_unchanged{};
inline constexpr struct look_back_gave_up_fn : detail::look_back_fn {
} look_back_gave_up{};

} // namespace lkt
