// SPDX-License-Identifier: BSL-1.0
// What accelerators reach on paper, for rooflines of products where nothing was measured.
#pragma once

#include <lkt/core/quantity.hpp>
#include <lkt/kernel/roofline.hpp>
#include <lkt/scan/scan_spec.hpp>

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace lkt {

/// Rates of dense matrix products, by `gemm_type`: of the fastest units that
/// there are for it, with sums in `float` or `int`. 0: no such units, or not said. Sparse matrices,
/// with which data sheets like to count, are not these.
struct accelerator {
    std::string name;
    std::string other_names; ///< more that a driver or a user may say, with commas between them
    std::array<flop_rate, std::size(every_gemm_type)> rates{};
    byte_rate bandwidth{}; ///< of the device's memory; 0: not known
    bytes memory;
    std::string source; ///< where the figures are from

    [[nodiscard]] flop_rate rate(gemm_type type) const {
        return rates[static_cast<std::size_t>(type)];
    }
    /// The intensity from which on arithmetic is the roof; 0: not known.
    [[nodiscard]] flop_per_byte ridge(gemm_type type) const {
        return bandwidth > byte_rate() ? rate(type) / bandwidth : flop_per_byte();
    }
};

/// All that are known, each with its source.
[[nodiscard]] std::span<accelerator const> known_accelerators();

/// By a name as drivers and users say it: `MI300X`, `AMD Instinct MI300X`, `NVIDIA H100 80GB HBM3`.
/// Errors (rejected): `lkt.scan.accelerator`, with the name that may be meant.
[[nodiscard]] result<accelerator> accelerator_called(std::string_view name);

/// The roof of a product, in the terms of tuning. That of an element-wise operation is memory's
/// alone: rates are of matrix units, which cannot compute it.
[[nodiscard]] roofline roofline_of(scan_spec const& spec, accelerator const& device);

} // namespace lkt
