// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/trial.hpp>

#include <doctest/doctest.h>

#include <set>

TEST_CASE("launches get patterns of their own, which follow from the seed") {
    lkt::launch_patterns one(7), same(7), other(8);
    std::set<std::uint64_t> seen;
    for (int k = 0; k < 1000; ++k) {
        auto const pattern = one.next();
        CHECK(pattern == same.next());
        CHECK(pattern != other.next());
        seen.insert(pattern);
    }
    CHECK(seen.size() == 1000);
}
