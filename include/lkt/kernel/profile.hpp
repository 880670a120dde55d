// SPDX-License-Identifier: BSL-1.0
// What the counters of a device say of one launch.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lkt {

/// Why warps that were resident did not issue, of one kind.
struct warp_stall {
    std::string reason; ///< `long_scoreboard`, ... as NVIDIA's profiler names it
    double percent = 0; ///< of the warps' resident cycles
    friend bool operator==(warp_stall const&, warp_stall const&) = default;
};

/// One launch of a kernel as a profiler saw it. Figures that the profiler or the device does not
/// report are absent.
struct kernel_profile {
    using number = std::optional<double>;

    // Of what the device reaches at most, in per cent.
    number compute_percent; ///< the busiest part of the multiprocessors
    number dram_percent;    ///< device memory
    number l2_percent;
    number l1_percent;     ///< L1 and shared memory
    number fp32_percent;   ///< the pipe of float's multiplications and additions
    number tensor_percent; ///< tensor cores
    number warps_percent;  ///< resident warps, of those that fit: the achieved occupancy

    // Memory.
    number dram_bytes;     ///< read and written together
    number l1_hit_percent; ///< of the sectors asked for
    number l2_hit_percent;
    number load_sectors;       ///< of 32 bytes, for one load instruction of a warp, global memory
    number store_sectors;      ///< likewise for stores
    number bank_conflicts;     ///< cycles that accesses of shared memory took longer for them
    number shared_wavefronts;  ///< cycles that accesses of shared memory took altogether
    number local_load_sectors; ///< of 32 bytes: spilled registers, and arrays that are in none

    // Execution.
    number issued_per_cycle;        ///< instructions of a multiprocessor in a cycle
    number threads_per_instruction; ///< of the 32 of a warp; fewer where its threads diverge
    std::vector<warp_stall> stalls; ///< the largest share first

    friend bool operator==(kernel_profile const&, kernel_profile const&) = default;
};

} // namespace lkt
