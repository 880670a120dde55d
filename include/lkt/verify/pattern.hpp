// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/element_set.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace lkt {

namespace detail {
/// `2nd`, `3rd`, `16th`.
[[nodiscard]] std::string ordinal(std::uint64_t n);
} // namespace detail

/// Where the marked elements of an output are, in words for the author of the kernel: all, a tail,
/// a head, every n-th, tile borders, rows and columns. `extents` are the problem's sizes; two of
/// them whose product is the output's size make it a matrix. Empty without a mark.
[[nodiscard]] std::string describe_location(element_set const& wrong,
                                            std::span<std::int64_t const> extents);

} // namespace lkt
