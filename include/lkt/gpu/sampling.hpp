// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lkt {

/// When a series of timed launches has told enough, between `min_launches` launches and all that
/// were asked for. The default takes them all.
struct sampling {
    int min_launches = 1;
    /// Stop once the 95 % interval of the median is within this fraction of it on either side, or
    /// once the samples' entropy no longer grows, as for a kernel whose noise no further launch
    /// would remove. 0: never for that reason.
    double precision = 0;
    seconds time{0}; ///< stop once the launches took that long together; 0: no limit
    /// Racing: stop once even the fastest launch took longer than this; 0: never.
    seconds give_up_above{0};
    /// Empty the caches before each timed launch, where the back end can.
    bool cold = true;
    /// Never precise before the launches took that long together: the median of a kernel of
    /// microseconds drifts in the course of milliseconds.
    seconds min_time{0};
};

/// Why a series ended.
enum class sampling_end : unsigned char { not_yet, all_taken, precise, steady, time_over, gave_up };

/// Decides after each sample whether another is needed. The precision criterion is the
/// distribution-free interval of the median; the entropy criterion is NVBench's (a line fitted to
/// the last 299 values of the samples' cumulative entropy is flat).
class sampling_rule {
public:
    sampling_rule(sampling rule, int launches) : rule_(rule), launches_(launches) {}

    [[nodiscard]] sampling_end add(seconds sample);

private:
    [[nodiscard]] bool precise() const;
    [[nodiscard]] bool steady();

    sampling rule_;
    int launches_;
    std::vector<double> sorted_;
    double sum_ = 0;
    double counts_log_counts_ = 0; ///< sum of c log2 c over distinct samples
    std::vector<double> entropies_;
};

} // namespace lkt
