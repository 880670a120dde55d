// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace lkt {

/// Every duration in lkt: the unit is in the type, and the number is never rounded to ticks.
using seconds = std::chrono::duration<double>;

/// Four significant digits without trailing zeros: `4.8`, `1e+06`.
[[nodiscard]] std::string significant(double value);

/// `4.8 ms`, `730 ns`, `12.5 us`, `3.25 s`: four significant digits, the unit that fits.
[[nodiscard]] std::string to_string(seconds t);

/// A count of bytes.
struct bytes {
    std::uint64_t count = 0;
    friend constexpr auto operator<=>(bytes, bytes) = default;
};

/// `12 B`, `1.5 KiB`, `4 MiB`, `80 GiB`.
[[nodiscard]] std::string to_string(bytes b);

} // namespace lkt
