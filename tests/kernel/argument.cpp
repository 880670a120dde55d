// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/argument.hpp>

#include <doctest/doctest.h>

TEST_CASE("directions have their names") {
    CHECK(to_string(lkt::direction::in) == "in");
    CHECK(to_string(lkt::direction::out) == "out");
    CHECK(to_string(lkt::direction::inout) == "inout");
}

TEST_CASE("signatures compare by all that they hold") {
    lkt::signature const a{
        "k", {{"x", {}, true, false, false, lkt::direction::out, "float* x"}}, {}, 3};
    lkt::signature b = a;
    CHECK(a == b);
    b.arguments[0].flow = lkt::direction::inout;
    CHECK_FALSE(a == b);
}
