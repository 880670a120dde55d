// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace lkt {

/// Rates of a device per second. 0: there is no such unit, or its rate is unknown.
struct device_rates {
    double copy = 0;   ///< bytes read and written together, from and to the device's memory
    double fp32 = 0;   ///< operations on `float`; a fused multiply-add counts two, here and below
    double fp16 = 0;   ///< on pairs of `half`, without tensor cores
    double tensor = 0; ///< of tensor cores on dense `half` matrices, summed up in `float`

    friend bool operator==(device_rates const&, device_rates const&) = default;
};

/// What a device reaches, and what its clock and its width would allow. `measured.tensor` is that
/// of `wmma` instructions, which every device with tensor cores has; instructions of newer ones
/// (`wgmma` of compute capability 9.0) reach more.
struct device_peaks {
    device_rates measured, on_paper;
    std::int64_t taken = 0; ///< when it was measured, in seconds since 1970
    bool from_cache = false;
};

} // namespace lkt
