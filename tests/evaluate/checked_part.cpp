// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/checked_part.hpp>

#include <doctest/doctest.h>

TEST_CASE("what was checked is one word, or one line with what was left out") {
    CHECK(to_string(lkt::checked_part{}) == "none: not run in checked mode");
    CHECK(to_string(lkt::checked_part{lkt::checked_extent::full, ""}) == "full");
    CHECK(to_string(lkt::checked_part{lkt::checked_extent::partial, "no sanitizer"}) ==
          "partial: no sanitizer");
}
