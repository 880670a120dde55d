// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/summarize_step.hpp>

#include <doctest/doctest.h>

TEST_CASE("A step came to something when one of its attempts was correct") {
    lkt::tuning_state s;
    CHECK(lkt::summarize_step(s) == lkt::step_summary::nothing);
    s.attempts.push_back({"a", lkt::failure(lkt::no_code{"x"}), {}});
    CHECK(lkt::summarize_step(s) == lkt::step_summary::nothing);
    s.attempts.push_back({"b", lkt::no_improvement{}, {}});
    CHECK(lkt::summarize_step(s) == lkt::step_summary::correct);
}
