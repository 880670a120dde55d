// SPDX-License-Identifier: BSL-1.0
#include <lkt/tuner/options.hpp>

#include <doctest/doctest.h>

TEST_CASE("Without options a run is confirmed, unbounded and silent") {
    lkt::tune_options const o;
    CHECK(o.confirm);
    CHECK(o.budget.model_calls == 0);
    CHECK_FALSE(o.stop.stop_possible());
    CHECK_FALSE(o.on_progress);
}
