// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>

namespace lkt {

/// How far an output of a test, which passed, was from what is expected.
struct output_error {
    std::string test, output;
    double largest = 0, mean = 0; ///< of |got - expected|, where both are finite
    std::uint64_t values = 0;     ///< that are
    friend bool operator==(output_error const&, output_error const&) = default;
};

} // namespace lkt
