// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/tuning_state.hpp>

#include <vector>

namespace lkt {

enum class since_start {
    improved, ///< the best kernel is no longer the original
    same,
};

namespace detail {

[[nodiscard]] since_start look_back(std::vector<attempt_record> const& history);
/// Proposes `best` itself, with a clean sheet.
void propose_best(std::vector<rejected_attempt>& attempts,
                  candidate& proposal,
                  tuned_kernel const& best);

struct look_back_fn {
    template <tuning_fields S>
    since_start operator()(S& s) const {
        return look_back(s.history);
    }
};

} // namespace detail

/// Opens a step: the model starts with a clean sheet from the best kernel so far.
inline constexpr auto begin_step = []<tuning_fields S>(S& s) -> void { s.attempts.clear(); };

/// Proposes the best kernel itself, so that its parameters are tuned.
inline constexpr auto propose_as_is = []<tuning_fields S>(S& s) -> void {
    detail::propose_best(s.attempts, s.proposal, s.best);
};

/// Did the run improve the kernel before this step? Two of a kind, since a node has one row of
/// edges and this question is asked at two places.
inline constexpr struct look_back_unchanged_fn : detail::look_back_fn {
} look_back_unchanged{};
inline constexpr struct look_back_gave_up_fn : detail::look_back_fn {
} look_back_gave_up{};

} // namespace lkt
