// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/exactness.hpp>

#include <lkt/core/units.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/detail/within.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace lkt {

namespace detail::exactness {

/// What the original's text computes in float64 may be something else than what it means to
/// compute; where they differ by so much of the scale, single elements prove nothing.
constexpr double doubtful = 0x1p-6;

/// The smallest power of 16 above a magnitude; 0 is the sum of what cancels, of no size.
int size_of_magnitude(double x) {
    // As frexp says it, without a call for each element.
    auto const biased = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff);
    int exponent = biased - 1022;
    if (biased == 0) (void)std::frexp(x, &exponent);
    return exponent >= 0 ? (exponent + 3) / 4 : -(-exponent / 4);
}
constexpr double margin = 64; // of what the original moves by or is off

bool sized(double x) { return std::isfinite(x) && x != 0; }

/// What an element of that value may be off by, beside the relative part.
double absolute_at(double e, tolerance bound, std::span<magnitude_limit const> limits) {
    if (!sized(e)) return bound.absolute;
    int const size = size_of_magnitude(e);
    auto const at = std::find_if(
        limits.begin(), limits.end(), [&](auto const& limit) { return limit.exponent == size; });
    return at == limits.end() ? bound.absolute : at->absolute;
}

/// The mismatch of the elements for which `error_of(lane)` is not below 0.
template <class ErrorOf>
std::optional<mismatch> marked(argument_data const& expected,
                               tolerance bound,
                               std::span<magnitude_limit const> limits,
                               ErrorOf const& error_of) {
    mismatch m{element_set(expected.count()), 0, 0, 0, -1, {}};
    unsigned const lanes = expected.type.lanes;
    for (std::size_t k = 0; k < expected.count(); ++k)
        for (std::size_t lane = k * lanes; lane < (k + 1) * lanes; ++lane) {
            double const error = error_of(lane);
            if (error < 0) continue;
            if (m.count == 0) m.first = k;
            if (!m.wrong[k]) ++m.count;
            m.wrong.mark(k);
            if (error > m.worst_error) m.worst_error = error, m.worst = k;
        }
    if (m.count == 0) return std::nullopt;
    double const e = lane_as_double(expected, m.worst * lanes);
    m.allowed = absolute_at(e, bound, limits) + bound.relative * std::fabs(e);
    return m;
}

} // namespace detail::exactness

std::optional<mismatch> judge_by_exact(mismatch found,
                                       argument_data const& expected,
                                       argument_data const& got,
                                       argument_data const& exact,
                                       tolerance bound,
                                       error_limits const& limits,
                                       std::span<magnitude_limit const> magnitudes) {
    using namespace detail::exactness;
    auto const near = [&](std::size_t lane) { // as near as the original
        double const t = lane_as_double(exact, lane);
        return std::isfinite(t) && std::fabs(lane_as_double(got, lane) - t) <=
                                       std::fabs(lane_as_double(expected, lane) - t);
    };
    error_figures const original = figures_of(exact, expected);
    bool all_near = original.lanes > 0;
    for (std::size_t lane = 0; lane < exact.lanes() && all_near; ++lane)
        all_near =
            near(lane) || (!limits.nonfinite && !std::isfinite(lane_as_double(expected, lane)));
    if (all_near) return std::nullopt;
    bool const trusted = original.rms <= doubtful;
    auto const error_of = [&](std::size_t lane) {
        if (!found.wrong[lane / expected.type.lanes]) return -1.0;
        double const e = lane_as_double(expected, lane), g = lane_as_double(got, lane),
                     t = lane_as_double(exact, lane);
        tolerance const here{bound.relative, absolute_at(e, bound, magnitudes)};
        bool const right =
            (!limits.nonfinite && !std::isfinite(e)) || detail::element_within(here, e, g) ||
            (std::isfinite(t) && detail::element_within(here, t, g)) || (trusted && near(lane));
        if (right) return -1.0;
        double const error = std::fabs(g - e);
        return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
    };
    if (found.whole.empty())
        if (auto still = marked(expected, bound, magnitudes, error_of)) return still;
    if (!limits.any()) return std::nullopt;
    error_limits most = limits;
    most.rms = std::max(limits.rms, original.rms);
    most.bias = std::max({limits.bias, std::fabs(original.mean), std::fabs(original.factor)});
    if (!detail::error_as_a_whole(expected, figures_of(exact, got), most)) return std::nullopt;
    return found;
}

std::vector<magnitude_limit> magnitude_limits(argument_data const& expected,
                                              argument_data const* exact,
                                              argument_data const* moved,
                                              tolerance bound,
                                              double rounding) {
    using namespace detail::exactness;
    constexpr std::uint64_t enough = 4;
    constexpr double part = 0x1p-8;
    if (exact == nullptr && moved == nullptr) return {};
    constexpr int smallest = -300; // of float64
    struct seen {
        double sum = 0, noise = 0;
        std::uint64_t count = 0;
    };
    std::vector<seen> sizes(600);
    detail::with_reader(expected.type.scalar, [&](auto read) {
        for (std::size_t lane = 0; lane < expected.lanes(); ++lane) {
            double const e = read(expected, lane);
            if (!sized(e)) continue;
            auto& one = sizes[static_cast<std::size_t>(size_of_magnitude(e) - smallest)];
            one.sum += std::fabs(e);
            ++one.count;
            for (auto const* const other : {exact, moved}) {
                double const x = other == nullptr ? e : lane_as_double(*other, lane);
                one.noise = std::max(one.noise, std::isfinite(x) ? std::fabs(x - e) : HUGE_VAL);
            }
        }
    });
    std::vector<magnitude_limit> limits;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        auto const& one = sizes[k];
        if (one.count < enough) continue;
        int const size = static_cast<int>(k) + smallest;
        double const absolute = part * (one.sum / static_cast<double>(one.count)) +
                                std::max(margin * one.noise, rounding);
        // Denormal numbers may be flushed.
        bool const denormal = std::ldexp(1.0, 4 * size) <= 0x1p-120;
        if (absolute < bound.absolute && !denormal) limits.push_back({size, absolute});
    }
    return limits;
}

void raise_limits(std::vector<magnitude_limit>& limits,
                  argument_data const& expected,
                  argument_data const& moved,
                  tolerance bound,
                  double times) {
    using namespace detail::exactness;
    if (limits.empty()) return;
    detail::with_reader(expected.type.scalar, [&](auto read) {
        for (std::size_t lane = 0; lane < expected.lanes(); ++lane) {
            double const e = read(expected, lane);
            if (!sized(e)) continue;
            auto const own =
                std::ranges::find(limits, size_of_magnitude(e), &magnitude_limit::exponent);
            if (own == limits.end()) continue;
            double const far = times * std::fabs(lane_as_double(moved, lane) - e);
            own->absolute = std::isnan(far) ? HUGE_VAL : std::max(own->absolute, far);
        }
    });
    std::erase_if(limits, [&](magnitude_limit const& l) { return l.absolute >= bound.absolute; });
}

std::optional<mismatch> judge_magnitudes(argument_data const& expected,
                                         argument_data const& got,
                                         tolerance bound,
                                         std::span<magnitude_limit const> limits) {
    using namespace detail::exactness;
    if (limits.empty() || expected.bytes == got.bytes) return std::nullopt;
    return marked(expected, bound, limits, [&](std::size_t lane) {
        double const e = lane_as_double(expected, lane);
        double const error = std::fabs(lane_as_double(got, lane) - e);
        return error > absolute_at(e, bound, limits) + bound.relative * std::fabs(e) ? error : -1.0;
    });
}

} // namespace lkt
