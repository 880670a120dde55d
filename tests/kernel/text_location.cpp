// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/text_location.hpp>

#include <doctest/doctest.h>

TEST_CASE("places") {
    CHECK(to_string(lkt::text_location{3, 7}) == "line 3, column 7");
    CHECK(to_string(lkt::text_location{3, 0}) == "line 3");
    CHECK(to_string(lkt::text_location{}).empty());
}
