// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lkt {

/// Which units of a device do a kernel's arithmetic: the type of what is multiplied and added.
enum class arithmetic : unsigned char {
    float64,
    float32,
    tf32, ///< float32, rounded to 11 significant bits before a tensor core multiplies it
    float16,
    bfloat16,
    float8,
    int8
};

inline constexpr arithmetic every_arithmetic[] = {arithmetic::float64,
                                                  arithmetic::float32,
                                                  arithmetic::tf32,
                                                  arithmetic::float16,
                                                  arithmetic::bfloat16,
                                                  arithmetic::float8,
                                                  arithmetic::int8};

/// As problem files spell it: `float16`, `tf32`.
[[nodiscard]] std::string_view to_string(arithmetic type);
[[nodiscard]] std::optional<arithmetic> arithmetic_called(std::string_view name);

/// Rates of a device per second. 0: there is no such unit, or its rate is unknown. A fused
/// multiply-add counts two operations. Those of tensor cores are of dense matrices; they sum up in
/// `float`, and in `int` for int8.
struct device_rates {
    double copy = 0; ///< bytes read and written together, from and to the device's memory
    double fp64 = 0; ///< operations on `double`, without tensor cores
    double fp32 = 0; ///< on `float`
    double fp16 = 0; ///< on pairs of `half`, without tensor cores
    double tensor_tf32 = 0, tensor_fp16 = 0, tensor_bf16 = 0, tensor_fp8 = 0, tensor_int8 = 0;

    /// Of the fastest units for this arithmetic. Without units for float8 it is done in half, to
    /// which conversion is exact.
    [[nodiscard]] double of(arithmetic type) const;

    friend bool operator==(device_rates const&, device_rates const&) = default;
};

/// What a device reaches, and what its clock and its width would allow. What `measured` says of
/// tensor cores is what `mma` instructions reach, which every device with tensor cores has.
struct device_peaks {
    device_rates measured, on_paper;
    device_rates wgmma; ///< tensor cores by `wgmma`, measured; 0 but on compute capability 9.0
    /// How many significant bits the sums of tensor cores keep of products of float8, by `mma` and
    /// by `wgmma`; measured; `float` has 24. 0: unknown, or there is no such
    /// instruction, as `mma` of float8 on 9.0 and 10.x.
    int float8_sum_bits = 0, wgmma_float8_sum_bits = 0;
    std::int64_t taken = 0; ///< when it was measured, in seconds since 1970
    bool from_cache = false;

    /// The highest measured rate, by `wgmma` too where `with_wgmma`.
    [[nodiscard]] double reached(arithmetic type, bool with_wgmma) const;

    friend bool operator==(device_peaks const&, device_peaks const&) = default;
};

} // namespace lkt
