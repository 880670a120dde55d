// SPDX-License-Identifier: BSL-1.0
// The roofline model (S. Williams, A. Waterman, D. Patterson: Roofline, CACM 52(4), 2009): a launch
// takes at least as long as its device needs to move its bytes, and to do its arithmetic.
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/kernel/device.hpp>
#include <lkt/kernel/peaks.hpp>
#include <lkt/kernel/problem.hpp>

#include <cstdint>
#include <optional>

namespace lkt {

/// What a launch at the timed size moves that reads every input once and writes every output once;
/// constant memory and scratch are not counted. Nothing where a buffer's size is not known.
[[nodiscard]] std::optional<std::uint64_t> bytes_once(problem const& task);

/// The arithmetic that `work.type` names; where it names none, that of the narrowest floating-point
/// type among the buffers that are read, of int8 buffers where there are no others.
[[nodiscard]] std::optional<arithmetic> arithmetic_of(problem const& task);

/// A share of the roof above this says that the problem's work, or a peak, is wrong.
inline constexpr double credible_share = 1.15;

/// The least time of a launch at the timed size, and why.
struct roofline {
    double bytes = 0, operations = 0; ///< of a launch; 0: not known, or no operations
    bool counted = false;             ///< the problem says how many operations it has
    double bandwidth = 0, rate = 0;   ///< of the device, a second; 0: not known
    bool bandwidth_measured = false, rate_measured = false; ///< else on paper
    std::optional<arithmetic> type;                         ///< of the operations
    bool cached = false;                        ///< the cache may hold all bytes: memory is no roof
    seconds memory_time{0}, arithmetic_time{0}; ///< 0: no roof

    [[nodiscard]] bool memory_bound() const { return memory_time >= arithmetic_time; }
    /// The larger of the two; 0: there is no roof that is known.
    [[nodiscard]] seconds least() const { return memory_bound() ? memory_time : arithmetic_time; }
    /// 1 at the roof; 0 where none or no time is known. Above 1, the problem's work or the device's
    /// peaks are not what they are said to be.
    [[nodiscard]] double share(seconds taken) const;
    /// Measured peaks are what a kernel can reach; those on paper are not.
    [[nodiscard]] bool measured() const {
        return memory_bound() ? bandwidth_measured : rate_measured;
    }
};

/// Of any kernel that solves `task` with the instructions that `device.ptx` allows. A simulated
/// device has no roof.
[[nodiscard]] roofline roofline_of(problem const& task, device_description const& device);

} // namespace lkt
