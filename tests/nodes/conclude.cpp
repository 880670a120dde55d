// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/conclude.hpp>

#include <doctest/doctest.h>

TEST_CASE("A step came to something when one of its attempts was correct") {
    lkt::tuning_state s;
    CHECK(lkt::conclude(s) == lkt::concluded::nothing);
    s.attempts.push_back({"a", lkt::failure(lkt::no_code{"x"}), {}});
    CHECK(lkt::conclude(s) == lkt::concluded::nothing);
    s.attempts.push_back({"b", lkt::no_improvement{}, {}});
    CHECK(lkt::conclude(s) == lkt::concluded::correct);
}
