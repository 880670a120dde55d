// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

/// The durations of repeated launches of one kernel in one configuration. All samples are kept.
struct measurement {
    std::vector<seconds> samples;

    [[nodiscard]] bool empty() const { return samples.empty(); }
    /// NaN without samples.
    [[nodiscard]] seconds median() const;
    [[nodiscard]] seconds minimum() const;
    /// Half the width of `interval()`; infinite below six samples.
    [[nodiscard]] seconds noise() const;
    /// The distribution-free interval of at least 95 % confidence for the median: the two order
    /// statistics that the binomial distribution gives (Hahn and Meeker, Statistical Intervals,
    /// 1991, 5.2). Below six samples no pair reaches 95 %, and the interval is unbounded.
    [[nodiscard]] std::pair<seconds, seconds> interval() const;
};

/// Whether `a` takes less time than `b`: only if their intervals do not meet, which needs at least
/// six samples of each.
enum class comparison : unsigned char { faster, slower, undecided };
[[nodiscard]] comparison compare(measurement const& a, measurement const& b);

/// `4.8 ms +- 0.1 ms (21 samples)`; below six samples `4.8 ms (3 samples)`.
[[nodiscard]] std::string to_string(measurement const& m);

/// How many times faster `now` runs than `before`, by their medians; 0 where either is unknown.
[[nodiscard]] double speedup(measurement const& before, measurement const& now);

namespace detail::kernel {

/// The largest k >= 1 for which [x_k, x_(n+1-k)] covers the median with 95 %; 0 if there is none.
[[nodiscard]] std::size_t median_rank(std::size_t n);

} // namespace detail::kernel

} // namespace lkt
