// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/sampling.hpp>
#include <lkt/kernel/measurement.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lkt {

sampling_end sampling_rule::add(seconds sample) {
    double const value = sample.count();
    auto const place = std::upper_bound(sorted_.begin(), sorted_.end(), value);
    auto const before =
        static_cast<double>(place - std::lower_bound(sorted_.begin(), sorted_.end(), value));
    sorted_.insert(place, value);
    sum_ += value;
    auto const weight = [](double c) { return c > 0 ? c * std::log2(c) : 0; };
    counts_log_counts_ += weight(before + 1) - weight(before);
    auto const n = static_cast<double>(sorted_.size());
    entropies_.push_back(std::log2(n) - counts_log_counts_ / n);

    int const taken = static_cast<int>(sorted_.size());
    if (taken >= launches_) return sampling_end::all_taken;
    if (taken < rule_.min_launches) return sampling_end::not_yet;
    if (rule_.give_up_above.count() > 0 && sorted_.front() > rule_.give_up_above.count())
        return sampling_end::gave_up;
    bool const stable = rule_.precision > 0 && sum_ >= rule_.min_time.count();
    if (stable && precise()) return sampling_end::precise;
    if (stable && steady()) return sampling_end::steady;
    if (rule_.time.count() > 0 && sum_ >= rule_.time.count()) return sampling_end::time_over;
    return sampling_end::not_yet;
}

bool sampling_rule::precise() const {
    std::size_t const k = detail::kernel::median_rank(sorted_.size());
    if (k == 0) return false;
    double const median = sorted_[sorted_.size() / 2];
    double const low = sorted_[k - 1], high = sorted_[sorted_.size() - k];
    return high - median <= rule_.precision * median && median - low <= rule_.precision * median;
}

bool sampling_rule::steady() {
    constexpr std::size_t window = 299;
    std::size_t const n = entropies_.size();
    if (n < window || n % 2 != 0) return false;
    // Least squares over the index; x has mean m and the sum of squares below.
    double const m = (window - 1) / 2.0;
    double const xx = window * (window * double(window) - 1) / 12;
    double mean = 0, xy = 0, yy = 0;
    auto const* const last = entropies_.data() + (n - window);
    for (std::size_t i = 0; i < window; ++i) mean += last[i] / window;
    for (std::size_t i = 0; i < window; ++i) {
        double const y = last[i] - mean;
        xy += (static_cast<double>(i) - m) * y;
        yy += y * y;
    }
    double const slope = xy / xx;
    double const angle = std::atan(slope) * 180 / std::numbers::pi;
    double const explained = yy < 1e-12 ? 1 : xy * xy / (xx * yy);
    return angle <= 0.048 && explained >= 0.36;
}

} // namespace lkt
