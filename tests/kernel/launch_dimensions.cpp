// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/launch_dimensions.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

TEST_CASE("text of dimensions") {
    CHECK(to_string(lkt::launch_dimensions{{32, 32, 1}, {16, 16, 1}, 0}) ==
          "grid 32x32, block 16x16");
    CHECK(to_string(lkt::launch_dimensions{{1, 1, 4}, {2, 3, 4}, 0}) == "grid 1x1x4, block 2x3x4");
    CHECK(lkt::dim3{0xffffffffU, 2, 2}.count() == 4ULL * 0xffffffffU);
}
