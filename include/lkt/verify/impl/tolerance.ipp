// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/tolerance.hpp>

#include <lkt/verify/detail/chunks.hpp>
#include <lkt/verify/detail/drawing.hpp>
#include <lkt/verify/detail/within.hpp>

#include <algorithm>
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

/// `f` of the magnitude of a lane: the two types that large arguments have, or any through a
/// switch.
template <class F>
void with_magnitudes(argument_data const& data, F const& f) {
    scalar_type const t = data.type.scalar;
    if (t == scalar_type::float32)
        f([&](std::size_t k) { return static_cast<double>(std::fabs(data.lane<float>(k))); });
    else if (t == scalar_type::float64)
        f([&](std::size_t k) { return std::fabs(data.lane<double>(k)); });
    else
        f([&](std::size_t k) { return std::fabs(lane_as_double(data, k)); });
}

struct finite_maximum {
    double value = 0;
    void operator+=(finite_maximum other) {
        bool const finite = other.value <= std::numeric_limits<double>::max(); // false for NaN
        if (finite && other.value > value) value = other.value;
    }
};

double mean_on_threads(unsigned threads, argument_data const& data) {
    std::vector<partial_mean> parts(chunks_in(data.lanes()));
    auto const part = [&](std::size_t chunk, std::size_t first, std::size_t last) noexcept {
        with_magnitudes(data,
                        [&](auto magnitude) { parts[chunk] = mean_of(first, last, magnitude); });
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

double largest_magnitude(argument_data const& data) {
    auto const part = [&](detail::finite_maximum& seen, std::size_t first, std::size_t last) {
        detail::with_magnitudes(data, [&](auto magnitude) {
            for (std::size_t k = first; k < last; ++k) seen += {magnitude(k)};
        });
    };
    unsigned const threads = detail::threads_for(data.lanes());
    return detail::sum_of_chunks<detail::finite_maximum>(data.lanes(), threads, part).value;
}

tolerance default_tolerance(scalar_type t, double scale) {
    // Below the smallest normal number digits are lost, in what lies between as well.
    if (scale > 0) scale = std::max(scale, detail::smallest_normal(t));
    switch (t) {
    case scalar_type::float64: // float32 errs by up to 2^-24
        return {0x1p-40, 0x1p-36 * scale};
    case scalar_type::float32: // float16 and tf32 err by up to 2^-11
        return {0x1p-16, 0x1p-13 * scale};
    case scalar_type::float16: // two steps of the result, and sums in half; fp8 errs by 2^-4
        return {0x1p-9, 0x1p-8 * scale};
    case scalar_type::bfloat16:
        return {0x1p-6, 0x1p-6 * scale};
    case scalar_type::float4_e2m1: // a step of the result
        return {0x1p-1, 0x1p-1};
    case scalar_type::float8_e4m3: // likewise
        return {0x1p-3, std::max(0x1p-5 * scale, 0x1p-9)};
    case scalar_type::float8_e5m2:
        return {0x1p-2, std::max(0x1p-5 * scale, 0x1p-16)};
    case scalar_type::int4:
    case scalar_type::uint4:
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
        bool const sound = own->relative >= 0 && own->absolute >= 0 && // false for NaN
                           std::isfinite(own->relative) && std::isfinite(own->absolute);
        if (sound && own->share >= 0 && own->share <= 1) return *own;
        return error{
            condition::rejected,
            "lkt.verify.tolerance",
            "the tolerance of output `" + task.signature.arguments[k].name +
                (sound ? "` has an invalid share" : "` is negative, infinite or not a number"),
            "Give a relative and an absolute bound that are finite and 0 or above, and a share of "
            "the elements from 0 to 1."};
    }
    scalar_type const t = expected.type.scalar;
    return default_tolerance(t, is_floating(t) ? mean_magnitude(expected) : 0);
}

error_limits default_limits(scalar_type t) {
    switch (t) {
    case scalar_type::float64: // float32 inputs err by 2^-26
        return {0x1p-40, 0x1p-42};
    case scalar_type::float32: // other orders err by 2^-19.7 at 4096 terms, tf32 inputs by 2^-12
        return {0x1p-16, 0x1p-18};
    case scalar_type::float16: // a step of the result where two sums round differently
        return {0x1p-10, 0x1p-11};
    case scalar_type::bfloat16:
        return {0x1p-8, 0x1p-9};
    case scalar_type::float4_e2m1:
        return {0x1p-3, 0x1p-4};
    case scalar_type::float8_e4m3: // few results lie so near to a tie that sums decide
        return {0x1p-5, 0x1p-6};
    case scalar_type::float8_e5m2:
        return {0x1p-4, 0x1p-5};
    case scalar_type::int4:
    case scalar_type::uint4:
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
    return {};
}

double reduction_length(problem const& task, test_case const& test, double elements) {
    if (!(elements > 0)) return 1;
    double inputs = 0, all = 1, largest = 1;
    for (std::size_t k = 0; k < test.arguments.size(); ++k)
        if (test.arguments[k].buffer && task.flow(k) != direction::out)
            inputs += static_cast<double>(test.arguments[k].lanes());
    for (auto const& [name, extent] : test.size) {
        all *= static_cast<double>(extent);
        largest = std::max(largest, static_cast<double>(extent));
    }
    return std::max({1.0, inputs / elements, std::min(largest, all / elements)});
}

namespace detail {

double largest_input(problem const& task, test_case const& test) {
    double largest = 0;
    for (std::size_t k = 0; k < test.arguments.size(); ++k) {
        argument_data const& data = test.arguments[k];
        if (data.buffer && task.flow(k) != direction::out && is_floating(data.type.scalar))
            largest = std::max(largest, largest_magnitude(data));
    }
    return largest;
}

double underflow_inside(problem const& task, test_case const& test, scalar_type t) {
    double const step = t == scalar_type::float32   ? 0x1p-149
                        : t == scalar_type::float64 ? std::numeric_limits<double>::denorm_min()
                                                    : 0;
    return step * std::max(1.0, largest_input(task, test));
}

/// Sums as good as Kahan's: what they add to a term loses the last digits of the largest terms, now
/// in one direction and now in the other. A plain sum loses those of its partial sums.
tolerance
compensated_bound(problem const& task, test_case const& test, double terms, double scale) {
    return {0x1p-22, 0x1p-23 * scale + 0x1p-24 * largest_input(task, test) * std::sqrt(terms)};
}

} // namespace detail

double growth_of_bounds(double terms) { return std::max(1.0, std::sqrt(terms / 0x1p14)); }

result<output_bounds> bounds_for(problem const& task,
                                 std::size_t k,
                                 test_case const& test,
                                 argument_data const& expected) {
    output_bounds b;
    b.whole.nonfinite = task.properties.propagates;
    if (task.arguments[k].scratch) {
        b.element.absolute = std::numeric_limits<double>::infinity();
        return b;
    }
    auto const element = tolerance_for(task, k, expected);
    if (!element) return element.error();
    b.element = *element;
    scalar_type const t = expected.type.scalar;
    if (task.arguments[k].bound || !is_floating(t)) return b;
    double const terms = reduction_length(task, test, static_cast<double>(expected.lanes()));
    b.whole.rms = default_limits(t).rms;
    b.whole.bias = default_limits(t).bias;
    if (task.properties.compensated && t == scalar_type::float32) {
        double const scale = mean_magnitude(expected);
        b.element = detail::compensated_bound(task, test, terms, scale);
        b.whole.rms = scale > 0 ? b.element.absolute / scale : b.whole.rms;
        b.whole.bias = b.whole.rms;
        return b;
    }
    // Zeros may be the rest of what cancels; then another kernel's rest is what it rounds.
    if (b.element.absolute == 0)
        b.element.absolute =
            (t == scalar_type::float64 ? 0x1p-53 : 0x1p-24) * detail::largest_input(task, test);
    // The intrinsics of CUDA for exp, sin, pow and division are off by up to a hundred last digits.
    double const factor = growth_of_bounds(terms) * (task.properties.fast_math ? 8 : 1);
    b.whole.rms *= factor;
    b.whole.bias *= factor;
    b.element.relative *= factor;
    b.element.absolute *= factor;
    double const underflow = detail::underflow_inside(task, test, t);
    if (b.element.absolute < underflow) {
        b.element.absolute = underflow;
        // Of errors that are as large as what is expected nothing is known as a whole.
        if (double const scale = mean_magnitude(expected); scale > 0) {
            b.whole.rms = std::max(b.whole.rms, underflow / scale);
            b.whole.bias = std::max(b.whole.bias, underflow / scale);
        }
    }
    return b;
}

bool within(tolerance bound, double expected, double got) {
    return detail::element_within(bound, expected, got);
}

} // namespace lkt
