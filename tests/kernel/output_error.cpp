// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/output_error.hpp>

#include <doctest/doctest.h>

TEST_CASE("an error says of which output of which test it is") {
    lkt::output_error const none, one{"N=8, ones", "y", 0.5, 0.25, 8};
    CHECK(none.values == 0);
    CHECK(none.largest == 0);
    CHECK_FALSE(one == none);
    CHECK(one == lkt::output_error{"N=8, ones", "y", 0.5, 0.25, 8});
}
