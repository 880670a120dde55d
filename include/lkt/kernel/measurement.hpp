// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>

#include <span>
#include <string>
#include <vector>

namespace lkt {

/// The durations of repeated launches of one kernel in one configuration. All samples are kept.
struct measurement {
    std::vector<seconds> samples;

    [[nodiscard]] bool empty() const { return samples.empty(); }
    /// NaN without samples.
    [[nodiscard]] seconds median() const;
    [[nodiscard]] seconds minimum() const;
    /// Half the distance-free 95 % confidence interval of the median, by order statistics
    /// (Hahn and Meeker, Statistical Intervals, 1991, 5.2); infinite below six samples.
    [[nodiscard]] seconds noise() const;
    /// Bounds of that interval.
    [[nodiscard]] std::pair<seconds, seconds> interval() const;
};

/// Whether `a` takes less time than `b`, by more than what the samples can tell apart.
enum class comparison : unsigned char { faster, slower, undecided };
[[nodiscard]] comparison compare(measurement const& a, measurement const& b);

/// `4.8 ms +- 0.1 ms (21 samples)`
[[nodiscard]] std::string to_string(measurement const& m);

} // namespace lkt
