// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/candidate.hpp>
#include <lkt/nodes/tuning_state.hpp>

namespace lkt {

/// The same tokens with the same launch, parameters and restrictions, whatever is said of it.
[[nodiscard]] bool same_candidate(candidate const& a, candidate const& b);

enum class recognised {
    changed, ///< the proposal is to be judged
    same,    ///< it is the best kernel, as it stands
};

namespace detail {
[[nodiscard]] recognised recognise(state_ref const& s);
} // namespace detail

/// Whether the proposal is a kernel at all that could be faster than the best one: a reply that
/// gives the kernel back as it was says that what was asked for does not fit. That is written down
/// as no improvement, and nothing is compiled. A kernel whose configurations were never tried is
/// `changed`. Writes `history` and `attempts`, where it is the same.
inline constexpr auto recognise = []<tuning_fields S>(S& s) -> recognised {
    return detail::recognise(detail::state_ref(s));
};

} // namespace lkt
