// SPDX-License-Identifier: BSL-1.0
// Rows in which what comes second is much smaller than what comes first.
#pragma once

#include <lkt/verify/draw.hpp>
#include <lkt/verify/random.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace lkt::detail {

/// Value `at` of such a row, with finite bounds. One value is large, of the others one in eight is
/// smaller by a power of two or a small multiple of `least` (the smallest number above 0), one in
/// sixteen 0 with either sign, and the rest lies far below. Of eight rows two have no large
/// value, and one has only zeros above the rest.
/// Ranks that are told by a difference, in fixed point or by bits change places there.
[[nodiscard]] inline double ranked_value(std::uint64_t at,
                                         std::uint64_t row,
                                         std::uint64_t length,
                                         value_bounds within,
                                         double least,
                                         random_stream const& chance) {
    static constexpr int lower[] = {5, 8, 12, 22, 25, 40};
    static constexpr double tops[] = {1, 1, 0.25, 0.0625};
    std::uint64_t const own = chance.bits(~row);
    double const top = within.max * tops[own >> 8 & 3] * (1 - 0x1p-4 * unit_interval(own << 20));
    auto const block = chance.block(at);
    double const u = unit_interval(block[0]);
    if (own % 8 < 5 && at == below(length, own >> 16 << 8)) return top;
    std::uint64_t const kind = block[1] % 16;
    if (kind == 0 || (kind <= 2 && own % 8 == 7)) return (block[1] >> 8) % 2 != 0 ? -0.0 : 0.0;
    std::size_t const which = (own >> 12) % (std::size(lower) + 1);
    if (kind <= 2)
        return which == std::size(lower) ? std::ceil(u * 15) * least
                                         : std::ldexp(top * (0.5 + u / 2), -lower[which]);
    return within.min < 0 ? within.min * (0.25 + u / 2) : within.min;
}

} // namespace lkt::detail
