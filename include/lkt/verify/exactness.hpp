// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/compare.hpp>
#include <lkt/verify/suite.hpp>
#include <lkt/verify/tolerance.hpp>

#include <optional>
#include <span>
#include <vector>

namespace lkt {

/// What an output that is wrong beside the original's is beside exact values, which are float64:
/// nothing, where each element is as near to them as the original's or within its bound of them,
/// and all errors together are as small as the original's or within their limits.
[[nodiscard]] std::optional<mismatch> judge_by_exact(mismatch found,
                                                     argument_data const& expected,
                                                     argument_data const& got,
                                                     argument_data const& exact,
                                                     tolerance bound,
                                                     error_limits const& limits,
                                                     std::span<magnitude_limit const> magnitudes);

/// Bounds for elements that are much smaller than the mean of their output: 2^-8 of the mean of
/// those of their size, and 64 times how far any of these is off or moves in the original.
/// `exact`, `moved`: what the original's text computes in float64, and what it computes from inputs
/// beside these; null if not known. `rounding`: what may be rounded inside, where these do not
/// tell. Nothing where the output's own bound is no wider, and for sizes of which there are fewer
/// than four elements.
[[nodiscard]] std::vector<magnitude_limit> magnitude_limits(argument_data const& expected,
                                                            argument_data const* exact,
                                                            argument_data const* moved,
                                                            tolerance bound,
                                                            double rounding = 0);

/// Raises them where further moved inputs move an element of their size more: what cancels may move
/// by the same. `times`: so many times what an element moves.
void raise_limits(std::vector<magnitude_limit>& limits,
                  argument_data const& expected,
                  argument_data const& moved,
                  tolerance bound,
                  double times = 64);

/// The elements that differ by more than the limit of their size.
[[nodiscard]] std::optional<mismatch> judge_magnitudes(argument_data const& expected,
                                                       argument_data const& got,
                                                       tolerance bound,
                                                       std::span<magnitude_limit const> limits);

} // namespace lkt
