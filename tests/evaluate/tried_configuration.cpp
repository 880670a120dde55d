// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/tried_configuration.hpp>

#include <doctest/doctest.h>

TEST_CASE("a configuration that was tried has a time or a failure") {
    lkt::tried_configuration one{{}, {}, lkt::measurement{}};
    CHECK(one.failed() == nullptr);
    one.outcome = lkt::failure(lkt::race{"two threads"});
    REQUIRE(one.failed() != nullptr);
    CHECK(std::holds_alternative<lkt::race>(*one.failed()));
}
