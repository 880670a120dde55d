// SPDX-License-Identifier: BSL-1.0
#include <lkt/store/journal_memory.hpp>

#include <doctest/doctest.h>

TEST_CASE("a journal in memory keeps what is appended, until it is cut") {
    lkt::journal_memory m;
    CHECK(m.read().value().empty());
    REQUIRE(m.append("one").has_value());
    REQUIRE(m.append("two").has_value());
    CHECK(m.read().value() == "onetwo");
    REQUIRE(m.cut(4).has_value());
    CHECK(m.read().value() == "onet");
    REQUIRE(m.cut(40).has_value());
    CHECK(m.read().value() == "onet");
    CHECK(m.sync().has_value());
}
