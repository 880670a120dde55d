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

/// The same tokens with the same launch, whatever is said of it: what a configuration makes of one
/// it makes of the other.
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

/// A digest of what decides a verdict beside the kernel and its configuration: the problem, the
/// tests (of their inputs the first 4 KiB each), the device, the options and the list of checks.
[[nodiscard]] std::uint64_t conditions_of(state_ref const& s, tools_ref const& tools);

/// The outcome of a proposal that was this very candidate and was judged under these conditions.
/// Where a compiler took too long or died, that is no verdict.
[[nodiscard]] std::optional<std::size_t> judged_before(std::span<attempt_record const> history,
                                                       candidate const& k,
                                                       std::uint64_t conditions);

/// What became of configurations of the same program in earlier proposals.
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

/// Whether the proposal is a kernel at all that could be faster than the best one: a reply that
/// gives the kernel back as it was says that what was asked for does not fit. That is written down
/// as no improvement, and nothing is compiled. A kernel whose configurations were never tried is
/// `changed`. Writes `history` and `attempts`, where it is the same.
inline constexpr auto detect_unchanged = []<tuning_fields S>(S& s) -> proposal_change {
    return detail::detect_unchanged(detail::state_ref(s));
};

} // namespace lkt
