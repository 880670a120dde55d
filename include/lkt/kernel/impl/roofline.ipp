// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/roofline.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lkt {

std::optional<std::uint64_t> bytes_once(problem const& task) {
    if (task.arguments.size() != task.signature.arguments.size()) return std::nullopt;
    expression_scope const scope = scope_of(task.size, {});
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < task.arguments.size(); ++i) {
        argument const& a = task.signature.arguments[i];
        if (!a.pointer || a.constant_count > 0 || task.arguments[i].scratch) continue;
        auto const count = task.arguments[i].count.evaluate_integer(scope);
        if (!count || *count < 0) return std::nullopt;
        std::uint64_t const size = static_cast<std::uint64_t>(*count) * a.type.bytes();
        total += task.flow(i) == direction::inout ? 2 * size : size;
    }
    return total;
}

namespace detail {

std::optional<arithmetic> arithmetic_on(scalar_type t) {
    switch (t) {
    case scalar_type::float64:
        return arithmetic::float64;
    case scalar_type::float32:
        return arithmetic::float32;
    case scalar_type::float16:
        return arithmetic::float16;
    case scalar_type::bfloat16:
        return arithmetic::bfloat16;
    case scalar_type::float8_e4m3:
    case scalar_type::float8_e5m2:
        return arithmetic::float8;
    case scalar_type::int4:
    case scalar_type::uint4:
    case scalar_type::int8:
    case scalar_type::uint8:
        return arithmetic::int8;
    default:
        return std::nullopt;
    }
}

} // namespace detail

std::optional<arithmetic> arithmetic_of(problem const& task) {
    if (task.work.type) return task.work.type;
    std::optional<arithmetic> found;
    for (std::size_t i = 0; i < task.arguments.size(); ++i) {
        argument const& a = task.signature.arguments[i];
        if (!a.pointer || task.flow(i) == direction::out) continue;
        auto const type = detail::arithmetic_on(a.type.scalar);
        // Those of int8 are often packed weights, whose arithmetic is that of another argument.
        if (type &&
            (!found || *found == arithmetic::int8 || (*type != arithmetic::int8 && *type > *found)))
            found = type;
    }
    return found;
}

double roofline::share(seconds taken) const {
    if (!(taken.count() > 0) || !std::isfinite(taken.count())) return 0;
    return least().count() / taken.count();
}

roofline roofline_of(problem const& task, device_description const& device) {
    roofline r;
    if (device.simulated) return r;
    expression_scope const scope = scope_of(task.size, {});
    auto const amount = [&](expression const& e) {
        auto const n = e.evaluate_integer(scope);
        return n && *n > 0 ? static_cast<double>(*n) : 0.0;
    };
    r.bytes = task.work.bytes ? amount(*task.work.bytes)
                              : static_cast<double>(bytes_once(task).value_or(0));
    r.counted = task.work.operations.has_value();
    if (r.counted) {
        r.operations = amount(*task.work.operations);
        r.type = arithmetic_of(task);
    }
    double const copy = device.peaks.measured.copy;
    r.bandwidth_measured = copy > 0;
    r.bandwidth = r.bandwidth_measured ? copy : device.memory_bandwidth;
    // As `min_time` has it: below, launches may find everything in the cache.
    r.cached = device.l2.count > 0 && r.bytes <= 2 * static_cast<double>(device.l2.count);
    if (r.bandwidth > 0 && !r.cached) r.memory_time = seconds{r.bytes / r.bandwidth};
    if (r.type) {
        r.rate = device.peaks.reached(*r.type, device.allows_wgmma());
        r.rate_measured = r.rate > 0;
        if (!r.rate_measured) r.rate = device.peaks.on_paper.of(*r.type);
        if (r.rate > 0) r.arithmetic_time = seconds{r.operations / r.rate};
    }
    return r;
}

} // namespace lkt
