// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/device/fills.hpp>

#include <array>
#include <bit>

namespace lkt::device_detail {

namespace fills_parts {

/// The bits that make quiet NaNs of any bits.
std::uint64_t quiet_nans(scalar_type type) {
    if (type == scalar_type::float8_e4m3) return 0x7f7f7f7f7f7f7f7f;
    if (type == scalar_type::float8_e5m2) return 0x7e7e7e7e7e7e7e7e;
    if (type == scalar_type::float16) return 0x7e007e007e007e00;
    if (type == scalar_type::bfloat16) return 0x7fc07fc07fc07fc0;
    if (type == scalar_type::float32) return 0x7fc000007fc00000;
    if (type == scalar_type::float64) return 0x7ff8000000000000;
    return 0;
}

} // namespace fills_parts

fill_mask mask_of(fill_kind kind, scalar_type type) {
    switch (kind) {
    case fill_kind::zeros:
        return {0, 0};
    case fill_kind::ones: {
        std::array<std::byte, 8> bytes{};
        write_fill(bytes, fill_kind::ones, {}, type);
        return {0, std::bit_cast<std::uint64_t>(bytes)};
    }
    case fill_kind::nans:
        return {~std::uint64_t{0}, fills_parts::quiet_nans(type)};
    case fill_kind::noise:
    case fill_kind::other_test:
    case fill_kind::nearly_right:
        break;
    }
    return {~std::uint64_t{0}, 0};
}

} // namespace lkt::device_detail
