// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/evaluation_options.hpp>

#include <doctest/doctest.h>

TEST_CASE("The defaults give a confidence interval and spend nothing without being asked") {
    lkt::evaluation_options const o;
    CHECK(o.final_launches >= 6); // fewer samples have no interval
    CHECK(o.final_launches >= o.final_rounds);
    CHECK(o.screening_launches >= 1);
    CHECK(o.checked);
    CHECK(o.profile == lkt::profiling::automatic);
    lkt::run_budget const b;
    CHECK(b.model_calls == 0);
    CHECK(b.tokens == 0);
    CHECK(b.time.count() == 0);
}
