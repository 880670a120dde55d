// SPDX-License-Identifier: BSL-1.0
// The numbers of a candidate's text, at which it may branch.
#pragma once

#include <lkt/kernel/source.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <vector>

namespace lkt {

/// A text in one of its configurations.
struct configured_text {
    kernel_source const& source;
    configuration config{};
};

/// The numbers in `text` that `original` has not, each once and in the order of the text: literals
/// after macros, tunable parameters and other constants with a name, what operators make of these
/// alone (`3 * 256 + 1`, `1 << 12`, `BLOCK * ITEMS`) and functions (`sqrtf(2.0f)`), where shifts by
/// a literal begin to lose bits, and for whole numbers that look like the bits of a float32 that
/// float. Then where narrow types lose whole numbers (`short`: 2^15, `half`: 2^11), and the product
/// of two whole ones that follow each other in a statement. 0, 1 and 2 are left out, since every
/// text has them. At most 64; none where a text cannot be read.
[[nodiscard]] std::vector<double> own_numbers(configured_text const& text,
                                              configured_text const& original);

/// Of the numbers of a candidate's code (`compiled_kernel::constants`) those that are worth a test
/// of their own: neither the original's code nor `known` has them, or has what lies next to them,
/// since `x >= 7` becomes `x > 6`. Small whole ones are left out: they are how memory is laid out,
/// and every size comes across them. At most 24.
[[nodiscard]] std::vector<double> own_constants(std::vector<double> const& code,
                                                std::vector<double> const& of_original,
                                                std::vector<double> const& known);

} // namespace lkt
