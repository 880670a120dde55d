// SPDX-License-Identifier: BSL-1.0
// What rounding loses, by type; and loops on several threads.
#pragma once

#include <lkt/core/parallel.hpp>
#include <lkt/scan/gemm_spec.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lkt::detail::scan::check_parts {

/// What rounding to the type loses of a number, at most.
inline double unit_of(gemm_type type) {
    switch (type) {
    case gemm_type::f64:
        return 0x1p-53;
    case gemm_type::f32:
    case gemm_type::tf32:
        return 0x1p-24;
    case gemm_type::f16:
        return 0x1p-11;
    case gemm_type::bf16:
        return 0x1p-8;
    case gemm_type::fp8:
        return 0x1p-4;
    case gemm_type::int8:
    case gemm_type::int4:
        return 0;
    }
    return 0;
}
/// Half of the smallest step between two numbers of a type.
inline double least_step(gemm_type type) {
    return type == gemm_type::f16    ? 0x1p-25
           : type == gemm_type::fp8  ? 0x1p-10
           : type == gemm_type::int8 ? 0.5
                                     : 0;
}
inline double largest(gemm_type type) {
    return type == gemm_type::f16    ? 65504
           : type == gemm_type::fp8  ? 448
           : type == gemm_type::int8 ? 127
                                     : 1e300;
}
/// Of one step of a sum, where the inputs have the type: the tensor cores cut off instead of
/// rounding, and those of FP8 keep some 14 bits.
inline double sum_unit(gemm_type type) {
    switch (type) {
    case gemm_type::f64:
        return 0x1p-52;
    case gemm_type::fp8:
        return 0x1p-13;
    case gemm_type::int8:
    case gemm_type::int4:
        return 0x1p-24; // alpha times a sum
    default:
        return 0x1p-23;
    }
}
/// How many roundings a sum of K products has that count.
inline double steps_of(gemm_type type, double k) {
    return type == gemm_type::fp8 ? std::ceil(k / 32) + 1 : type == gemm_type::int8 ? 1 : k;
}
/// What an epilogue makes of an element whose bias was added.
inline double activated(gemm_epilogue epilogue, double x) {
    switch (traits_of(epilogue).activation) {
    case gemm_epilogue::relu:
        return std::max(x, 0.0);
    case gemm_epilogue::gelu: {
        constexpr double root = 0.7978845608028654; // of 2 / pi
        return x * (1 + std::tanh(root * (x + 0.044715 * x * x * x))) / 2;
    }
    default:
        return x;
    }
}
/// What an error of the sum x comes to behind an epilogue, and its own. The slope of GELU is at
/// most 1.13; its tanh may be that of the hardware, which loses 2^-11 (PTX ISA, tanh.approx.f32).
inline double behind(gemm_epilogue epilogue, double error, double x) {
    return traits_of(epilogue).activation == gemm_epilogue::gelu
               ? 1.13 * error + std::abs(x) * 0x1p-12
               : error;
}
/// What an input loses before it is multiplied.
inline double input_unit(gemm_type type) { return type == gemm_type::tf32 ? 0x1p-11 : 0; }

/// Pieces of [0, count) on several threads, where there are enough elements in all.
template <class F>
void in_pieces(std::int64_t count, double elements, F const& f) {
    auto const n = static_cast<std::size_t>(count);
    unsigned const threads = elements < 2e6 ? 1 : threads_at_hand();
    (void)for_each_part(n,
                        std::max<std::size_t>(1, n / (std::size_t{4} * threads)),
                        threads,
                        {},
                        [&](std::size_t, std::size_t first, std::size_t last) noexcept {
                            f(static_cast<std::int64_t>(first), static_cast<std::int64_t>(last));
                        });
}

} // namespace lkt::detail::scan::check_parts
