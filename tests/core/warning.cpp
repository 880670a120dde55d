// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/warning.hpp>

#include <doctest/doctest.h>

TEST_CASE("a warning is a note with a mark") {
    CHECK(lkt::warning("no guard") == "warning: no guard");
    CHECK(lkt::is_warning(lkt::warning("no guard")));
    CHECK_FALSE(lkt::is_warning("no guard"));
    CHECK(lkt::text_of_warning(lkt::warning("no guard")) == "no guard");
    CHECK(lkt::text_of_warning("no guard") == "no guard");
}
