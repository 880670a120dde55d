// SPDX-License-Identifier: BSL-1.0
// What a device writes into its buffers around a launch, drawn from the secrets of the run.
#pragma once

#include <lkt/core/secret_stream.hpp>
#include <lkt/gpu/device/job.hpp>
#include <lkt/gpu/fill.hpp>
#include <lkt/kernel/value_type.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lkt::device_detail {

/// Of noise, what stays, and what is added to it: for eight bytes, again and again.
struct fill_mask {
    std::uint64_t keep = 0, set = 0;
};

/// For zeros, ones, NaNs and noise, as `write_fill` makes them.
[[nodiscard]] fill_mask mask_of(fill_kind kind, scalar_type type);

/// Whether an unwritten element is certain to be found in that launch, which is the first one whose
/// outputs are compared.
[[nodiscard]] inline bool certain_noise(run_job const& job, int launch) {
    return !job.keep.empty() && job.keep.front() == launch;
}

/// What an output of `job` holds before a launch.
[[nodiscard]] inline fill_kind
fill_of(run_job const& job, int launch, std::size_t argument, bool other_test, bool nearly_right) {
    return fill_of_launch(job.secrets,
                          launch,
                          argument,
                          {.certain = certain_noise(job, launch),
                           .nans = is_floating(job.arguments[argument].type),
                           .other_test = other_test,
                           .nearly_right = nearly_right});
}

/// Which set's outputs a launch with set `set` of `sets` may find, where it finds another one's.
[[nodiscard]] inline std::size_t
other_set(run_job const& job, int launch, std::size_t set, std::size_t sets) {
    if (sets < 2) return set;
    auto const number = static_cast<std::uint64_t>(static_cast<std::int64_t>(launch));
    return (set + 1 +
            static_cast<std::size_t>(drawn(job.secrets, "other test", number) % (sets - 1))) %
           sets;
}

/// The contents before (0) or after (1) an argument of one of the sets, during this run.
[[nodiscard]] inline secret_key
canary_key(run_job const& job, std::size_t set, std::size_t argument, unsigned side) {
    return derived(job.secrets, "canary", set, 2 * argument + side);
}

/// A number below `count` that gives the position of an argument of one of the sets during this
/// run.
[[nodiscard]] inline std::uint64_t
place_of(run_job const& job, std::size_t set, std::size_t argument, std::uint64_t count) {
    return count < 2 ? 0 : drawn(job.secrets, "place", set, argument) % count;
}

/// What shared memory holds before a launch.
[[nodiscard]] inline secret_key shared_key(run_job const& job, int launch) {
    return derived(job.secrets,
                   "shared memory",
                   static_cast<std::uint64_t>(static_cast<std::int64_t>(launch)));
}

/// The part of the pattern of noise that `bytes` bytes need, in whole blocks of the stream.
[[nodiscard]] constexpr std::uint64_t pattern_bytes(std::uint64_t bytes) {
    return std::min<std::uint64_t>((bytes + 63) / 64 * 64, noise_period);
}

} // namespace lkt::device_detail
