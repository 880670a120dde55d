// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/test_generator.hpp>

#include <cstddef>

namespace lkt::detail {

/// What the arguments of a test take.
[[nodiscard]] inline std::size_t bytes_of(test_case const& test) {
    std::size_t sum = 0;
    for (argument_data const& a : test.arguments) sum += a.bytes.size();
    return sum;
}

} // namespace lkt::detail
