// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/measurement.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace lkt {

namespace detail::kernel {

/// Ascending; a sample that is not a number counts as longer than any.
std::vector<seconds> sorted_samples(std::vector<seconds> samples) {
    std::sort(samples.begin(), samples.end(), [](seconds a, seconds b) {
        return std::isnan(b.count()) ? !std::isnan(a.count()) : a < b;
    });
    return samples;
}

// P(Binomial(n, 1/2) <= k - 1) must not exceed 2.5 %. Logarithms, because 2^-n underflows.
std::size_t median_rank(std::size_t n) {
    double log_term = -static_cast<double>(n) * std::log(2.0);
    double below = 0;
    std::size_t k = 0;
    for (std::size_t i = 0; i < n; ++i) {
        below += std::exp(log_term);
        if (below > 0.025) break;
        k = i + 1;
        log_term += std::log(static_cast<double>(n - i) / static_cast<double>(i + 1));
    }
    return k;
}

} // namespace detail::kernel

seconds measurement::median() const {
    if (samples.empty()) return seconds(std::numeric_limits<double>::quiet_NaN());
    std::vector<seconds> const s = detail::kernel::sorted_samples(samples);
    std::size_t const half = s.size() / 2;
    return s.size() % 2 == 1 ? s[half] : (s[half - 1] + s[half]) / 2;
}

seconds measurement::minimum() const {
    if (samples.empty()) return seconds(std::numeric_limits<double>::quiet_NaN());
    return detail::kernel::sorted_samples(samples).front();
}

std::pair<seconds, seconds> measurement::interval() const {
    std::size_t const k = detail::kernel::median_rank(samples.size());
    constexpr double unbounded = std::numeric_limits<double>::infinity();
    if (k == 0) return {seconds(-unbounded), seconds(unbounded)};
    std::vector<seconds> const s = detail::kernel::sorted_samples(samples);
    return {s[k - 1], s[s.size() - k]};
}

seconds measurement::noise() const {
    auto const [low, high] = interval();
    return (high - low) / 2;
}

comparison compare(measurement const& a, measurement const& b) {
    auto const [a_low, a_high] = a.interval();
    auto const [b_low, b_high] = b.interval();
    if (a_high < b_low) return comparison::faster;
    if (b_high < a_low) return comparison::slower;
    return comparison::undecided;
}

std::string to_string(measurement const& m) {
    if (m.empty()) return "no samples";
    std::string const median = to_string(m.median());
    std::string text = median;
    if (std::isfinite(m.noise().count())) {
        // In the median's unit, so that the two numbers can be compared at a glance.
        std::string const unit = median.substr(median.find(' ') + 1);
        double const scale = unit == "ns" ? 1e9 : unit == "us" ? 1e6 : unit == "ms" ? 1e3 : 1;
        char noise[32];
        double const value = m.noise().count() * scale;
        std::snprintf(noise, sizeof noise, value < 99.5 ? "%.2g" : "%.0f", value);
        text += " +- " + std::string(noise) + " " + unit;
    }
    return text + " (" + std::to_string(m.samples.size()) +
           (m.samples.size() == 1 ? " sample)" : " samples)");
}

double speedup(measurement const& before, measurement const& now) {
    if (before.empty() || now.empty()) return 0;
    double const b = before.median().count(), n = now.median().count();
    return n > 0 ? b / n : 0;
}

} // namespace lkt
