// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/detail/host/host_job.hpp>
#include <lkt/gpu/gpu_backend.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>

namespace lkt::host_detail {

/// Whether sums that were added up in another order may differ by this much: atomics promise no
/// order, so floating outputs of kernels that use them agree to a few digits only.
[[nodiscard]] inline bool nearly_equal(double a, double b, double scale) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b);
    return a == b || std::fabs(a - b) <= 1e-3 * std::max({std::fabs(a), std::fabs(b), scale});
}

/// The first element in which two buffers differ; `-1` if none does. WGSL's atomics are integers
/// alone, so that sums of floats go by their bits: its words may hold either.
[[nodiscard]] inline std::int64_t
first_difference(argument_data const& a, argument_data const& b, bool atomics, bool wgsl) {
    if (a.bytes == b.bytes) return -1;
    auto const size = a.type.bytes();
    bool const word = a.type.scalar == scalar_type::int32 || a.type.scalar == scalar_type::uint32;
    bool const f32 = a.type.scalar == scalar_type::float32 || (wgsl && word);
    bool const loose = atomics && (f32 || a.type.scalar == scalar_type::float64);
    auto const number = [f32](argument_data const& d, std::size_t lane) {
        return f32 ? static_cast<double>(d.lane<float>(lane)) : d.lane<double>(lane);
    };
    double scale = 0;
    auto const lanes = a.bytes.size() / size_of(a.type.scalar);
    for (std::size_t i = 0; loose && i < lanes; ++i)
        if (auto const v = std::fabs(number(a, i)); std::isfinite(v)) scale = std::max(scale, v);
    for (std::size_t i = 0; i < a.count(); ++i) {
        if (std::memcmp(a.bytes.data() + i * size, b.bytes.data() + i * size, size) == 0) continue;
        bool same = loose;
        for (unsigned l = 0; same && l < a.type.lanes; ++l)
            same = nearly_equal(
                number(a, i * a.type.lanes + l), number(b, i * a.type.lanes + l), scale * 1e-3);
        if (!same) return static_cast<std::int64_t>(i);
    }
    return -1;
}

/// A sentence, which ends in `with`, if two runs gave different outputs.
[[nodiscard]] inline std::optional<std::string> disagreement(run_report const& forward,
                                                             run_report const& other,
                                                             run_request const& request,
                                                             signature const& s,
                                                             bool atomics,
                                                             bool wgsl,
                                                             std::string const& with) {
    for (std::size_t k = 0; k < forward.kept.size(); ++k) {
        std::size_t output = 0;
        for (std::size_t i = 0; i < request.arguments.size(); ++i) {
            if (!request.arguments[i].buffer || request.directions[i] == direction::in) continue;
            auto const at = first_difference(
                forward.kept[k].outputs[output], other.kept[k].outputs[output], atomics, wgsl);
            ++output;
            if (at < 0) continue;
            auto const name = i < s.arguments.size() ? s.arguments[i].name : std::to_string(i + 1);
            return "element " + std::to_string(at) + " of " + name + " differs " + with;
        }
    }
    return {};
}

} // namespace lkt::host_detail
