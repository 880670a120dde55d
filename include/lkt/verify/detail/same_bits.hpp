// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/argument_data.hpp>

#include <cstring>

namespace lkt::detail {

/// Whether two outputs hold the same bytes: one pass at the speed of memory, where a comparison of
/// values, or of a vector of std::byte, goes lane by lane.
[[nodiscard]] inline bool same_bits(argument_data const& a, argument_data const& b) {
    return a.type == b.type && a.bytes.size() == b.bytes.size() &&
           (a.bytes.empty() || std::memcmp(a.bytes.data(), b.bytes.data(), a.bytes.size()) == 0);
}

} // namespace lkt::detail
