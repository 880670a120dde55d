// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/evaluation_setup.hpp>

#include <doctest/doctest.h>

#include "support.hpp"

using namespace lkt_test;

TEST_CASE("slow configurations are dropped on a device, and not on a simulated one") {
    evaluation_scene c([](auto const&, auto const&) { return behaviour{}; });
    auto const setup = c.setup();
    CHECK_FALSE(setup.drops_slow_ones());
    c.s.device.simulated = false;
    CHECK(setup.drops_slow_ones());
}
