// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/suite.hpp>

#include <algorithm>

namespace lkt {

bool test_suite::prepared() const {
    return !tests.empty() && std::all_of(tests.begin(), tests.end(), [](prepared_test const& t) {
        return !t.expected.empty();
    });
}

std::vector<std::size_t> output_positions(std::vector<direction> const& directions) {
    std::vector<std::size_t> positions;
    for (std::size_t k = 0; k < directions.size(); ++k)
        if (directions[k] != direction::in) positions.push_back(k);
    return positions;
}

} // namespace lkt
