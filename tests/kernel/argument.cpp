// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/argument.hpp>

#include <doctest/doctest.h>

TEST_CASE("directions have their names") {
    CHECK(to_string(lkt::direction::in) == "in");
    CHECK(to_string(lkt::direction::out) == "out");
    CHECK(to_string(lkt::direction::inout) == "inout");
}
