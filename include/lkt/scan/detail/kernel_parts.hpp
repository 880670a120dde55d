// SPDX-License-Identifier: BSL-1.0
// What a problem says of its kernel to the engine that measures it.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/scan/scan_engine.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lkt::detail::scan {

inline std::optional<gemm_type> gemm_type_of(scalar_type t) {
    switch (t) {
    case scalar_type::float64:
        return gemm_type::f64;
    case scalar_type::float32:
        return gemm_type::f32;
    case scalar_type::float16:
        return gemm_type::f16;
    case scalar_type::bfloat16:
        return gemm_type::bf16;
    case scalar_type::int8:
        return gemm_type::int8;
    default:
        return std::nullopt;
    }
}

inline error no_kernel_for(scan_operation operation, std::string why) {
    bool const gemm = operation == scan_operation::gemm;
    return {
        condition::rejected,
        "lkt.scan.kernel",
        (gemm                                       ? "the problem is no matrix product: "
         : operation == scan_operation::convolution ? "the problem is no convolution: "
                                                    : "the problem is not element-wise: ") +
            std::move(why),
        gemm ? "give a problem with three extents, two buffers that are read (A, then B; perhaps "
               "a bias as the third) and one that is written (C)"
        : operation == scan_operation::convolution
            ? "give a problem that reads images, then filters, and writes one buffer; "
              "lkt.size_names says which extents are N, C, H, W, K, R, S, stride, padding, "
              "dilation and groups"
            : "give a problem with one extent, whose buffers have as many elements, and one "
              "that is written"};
}

/// The elements of a buffer, the lanes of vectors counted each.
inline result<std::int64_t>
elements_of(problem const& task, std::size_t argument, expression_scope const& scope) {
    auto const count = task.arguments[argument].count.evaluate_integer(scope);
    if (!count) return count.error();
    auto const& type = task.signature.arguments[argument].type;
    return *count * static_cast<std::int64_t>(type.bytes() / lkt::size_of(type.scalar));
}

/// Median, extremes and deviation of single launches.
inline void take_times(scanned_instance& one, std::vector<seconds> samples) {
    if (samples.empty()) return;
    std::sort(samples.begin(), samples.end());
    auto const n = samples.size();
    one.time = n % 2 != 0 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
    one.least = samples.front();
    one.most = samples.back();
    double mean = 0, squares = 0;
    for (seconds const t : samples) mean += t.count() / static_cast<double>(n);
    for (seconds const t : samples) squares += (t.count() - mean) * (t.count() - mean);
    if (n > 1) one.deviation = seconds{std::sqrt(squares / static_cast<double>(n - 1))};
    one.iterations = static_cast<int>(n);
}

} // namespace lkt::detail::scan
