// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/tolerance.hpp>

#include <lkt/verify/detail/parallel.hpp>
#include <lkt/verify/detail/within.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace lkt {

namespace detail {

struct partial_mean {
    double mean = 0;
    std::uint64_t count = 0; ///< of finite lanes
};

/// `magnitude(lane)` over some lanes.
template <class Magnitude>
partial_mean mean_of(std::size_t first, std::size_t last, Magnitude magnitude) {
    double sum = 0;
    std::uint64_t count = 0;
    for (std::size_t k = first; k < last; ++k) {
        double const m = magnitude(k);
        bool const finite = m <= std::numeric_limits<double>::max(); // false for NaN
        sum += finite ? m : 0;
        count += finite ? 1 : 0;
    }
    if (std::isfinite(sum)) return {count > 0 ? sum / static_cast<double>(count) : 0, count};
    // A running mean cannot overflow; it takes a division for each lane.
    partial_mean p;
    for (std::size_t k = first; k < last; ++k) {
        double const m = magnitude(k);
        if (std::isfinite(m)) p.mean += (m - p.mean) / static_cast<double>(++p.count);
    }
    return p;
}

double mean_on_threads(unsigned threads, argument_data const& data) {
    std::vector<partial_mean> parts(chunks_in(data.lanes()));
    scalar_type const t = data.type.scalar;
    auto const part = [&](std::size_t chunk, std::size_t first, std::size_t last) noexcept {
        auto& p = parts[chunk];
        // The two types that large outputs have; the others go lane by lane through a switch.
        if (t == scalar_type::float32)
            p = mean_of(first, last, [&](std::size_t k) {
                return static_cast<double>(std::fabs(data.lane<float>(k)));
            });
        else if (t == scalar_type::float64)
            p = mean_of(
                first, last, [&](std::size_t k) { return std::fabs(data.lane<double>(k)); });
        else
            p = mean_of(
                first, last, [&](std::size_t k) { return std::fabs(lane_as_double(data, k)); });
    };
    (void)for_each_chunk(data.lanes(), threads, {}, part); // nobody stops it
    partial_mean all;
    for (partial_mean const& p : parts) {
        if (p.count == 0) continue;
        all.count += p.count;
        all.mean +=
            (p.mean - all.mean) * (static_cast<double>(p.count) / static_cast<double>(all.count));
    }
    return all.mean;
}

} // namespace detail

double mean_magnitude(argument_data const& data) {
    return detail::mean_on_threads(detail::threads_for(data.lanes()), data);
}

tolerance default_tolerance(scalar_type t, double scale) {
    switch (t) {
    case scalar_type::float64: // float32 errs by up to 2^-24
        return {0x1p-40, 0x1p-36 * scale};
    case scalar_type::float32: // float16 and tf32 err by up to 2^-11
        return {0x1p-16, 0x1p-13 * scale};
    case scalar_type::float16: // two steps of the result, and sums in half; fp8 errs by 2^-4
        return {0x1p-9, 0x1p-8 * scale};
    case scalar_type::bfloat16:
        return {0x1p-6, 0x1p-6 * scale};
    case scalar_type::boolean:
    case scalar_type::int8:
    case scalar_type::uint8:
    case scalar_type::int16:
    case scalar_type::uint16:
    case scalar_type::int32:
    case scalar_type::uint32:
    case scalar_type::int64:
    case scalar_type::uint64:
        break;
    }
    return {0, 0};
}

result<tolerance> tolerance_for(problem const& task, std::size_t k, argument_data const& expected) {
    if (auto const& own = task.arguments[k].bound) {
        if (own->relative >= 0 && own->absolute >= 0) return *own; // false for NaN
        return error{condition::rejected,
                     "lkt.verify.tolerance",
                     "the tolerance of output `" + task.signature.arguments[k].name +
                         "` is negative or not a number",
                     "Give a relative and an absolute bound that are 0 or above."};
    }
    scalar_type const t = expected.type.scalar;
    return default_tolerance(t, is_floating(t) ? mean_magnitude(expected) : 0);
}

bool within(tolerance bound, double expected, double got) {
    return detail::element_within(bound, expected, got);
}

} // namespace lkt
