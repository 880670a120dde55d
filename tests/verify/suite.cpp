// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/suite.hpp>

#include <doctest/doctest.h>

TEST_CASE("what a back end returns are the arguments that are not only read") {
    using lkt::direction;
    CHECK(lkt::output_positions({direction::in, direction::out, direction::in, direction::inout}) ==
          std::vector<std::size_t>{1, 3});
    CHECK(lkt::output_positions({direction::in}).empty());
}
