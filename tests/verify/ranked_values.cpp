// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/detail/ranked_values.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

TEST_CASE("what comes second is far below what comes first, or a zero of either sign") {
    int far = 0, tiny = 0, zeros = 0;
    lkt::random_stream const stream{7, 1, 0};
    for (std::uint64_t row = 0; row < 400; ++row) {
        std::vector<double> values;
        for (std::uint64_t at = 0; at < 64; ++at)
            values.push_back(lkt::detail::ranked_value(at, row, 64, {-16, 16}, 0x1p-24, stream));
        for (double const v : values) CHECK(std::fabs(v) <= 16);
        std::ranges::sort(values, std::greater());
        double const top = values[0], next = values[1];
        far += next > 0 && top > 16 * next;
        tiny += next > 0 && next < 0x1p-19 && top > 0.5;
        zeros += top == 0 && next == 0;
    }
    CHECK(far > 150);
    CHECK(tiny > 40);
    CHECK(zeros > 20);
}
