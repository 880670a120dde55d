// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/profile.hpp>

#include <doctest/doctest.h>

TEST_CASE("profile: nothing is known of a launch that nobody looked at, and 0 is something") {
    lkt::kernel_profile p;
    CHECK(!p.dram_percent);
    CHECK(p.stalls.empty());
    p.bank_conflicts = 0;
    CHECK(p != lkt::kernel_profile{});
    lkt::kernel_profile q = p;
    CHECK(q == p);
    q.stalls.push_back({"barrier", 12});
    CHECK(q != p);
}
