// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/tuned_kernel.hpp>

#include <doctest/doctest.h>

TEST_CASE("a kernel that was not measured has no time, and no profile") {
    lkt::tuned_kernel const kernel;
    CHECK(kernel.time.empty());
    CHECK_FALSE(kernel.profile);
    CHECK(lkt::no_improvement{}.verdict == lkt::comparison::undecided);
}
