// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/candidate.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lkt {

/// The same tokens and the same launch in all configurations, also if they are written differently.
[[nodiscard]] bool same_program(candidate const& a, candidate const& b);

/// The same program with the same parameters and restrictions.
[[nodiscard]] bool same_candidate(candidate const& a, candidate const& b);

enum class proposal_change {
    changed, ///< the proposal is to be judged
    same,    ///< it is the best kernel, as it stands
};

namespace detail {
[[nodiscard]] proposal_change detect_unchanged(state_ref const& s);

class tools_ref;

/// A digest of what determines a verdict besides the kernel and its configuration: the problem, the
/// tests (the first 4 KiB of each input), the device, the options and the list of checks.
[[nodiscard]] std::uint64_t conditions_of(state_ref const& s, tools_ref const& tools);

/// A digest of what determines the results of a search among the configurations of `k` in one run:
/// numbers in a `trial_log`.
[[nodiscard]] std::uint64_t
search_number(state_ref const& s, tools_ref const& tools, candidate const& k);

/// The outcome of an earlier proposal of exactly this candidate under these conditions. A compiler
/// that took too long or crashed gives no verdict.
[[nodiscard]] std::optional<std::size_t> judged_before(std::span<attempt_record const> history,
                                                       candidate const& k,
                                                       std::uint64_t conditions);

/// The last attempt with this text, counted from 1; 0 where there is none.
[[nodiscard]] std::uint64_t attempt_of(std::span<attempt_record const> history, candidate const& k);

/// The results of configurations of the same program in earlier proposals.
class judged_configurations {
public:
    judged_configurations(std::span<attempt_record const> history,
                          candidate const& k,
                          std::uint64_t conditions);

    /// Null where it has no verdict.
    [[nodiscard]] tried_configuration const* find(configuration const& c) const;

private:
    std::vector<attempt_record const*> records_;
};
} // namespace detail

/// Whether the proposal could be faster than the best kernel at all: a reply that returns the
/// kernel unchanged says that the request does not apply. That is recorded as no improvement, and
/// nothing is compiled. A kernel whose configurations were never tried is `changed`. Writes
/// `history` and `attempts`, where it is the same.
inline constexpr auto detect_unchanged = []<tuning_fields S>(S& s) -> proposal_change {
    return detail::detect_unchanged(detail::state_ref(s));
};

} // namespace lkt
