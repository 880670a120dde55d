// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/validate_step.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/dsl.hpp>
#include <lkt/graph/run.hpp>
#include <lkt/nodes/plan_steps.hpp>

#include "../support/planning.hpp"

using namespace lkt_test;

namespace {

struct validation {
    static constexpr auto graph =
        lkt::graph<lkt::planning_state>(lkt::dsl::node<lkt::validate_step>(
            lkt::dsl::on<lkt::unusable>(lkt::dsl::stop<lkt::unusable>),
            lkt::dsl::on<lkt::valid>(lkt::dsl::stop<lkt::valid>),
            lkt::dsl::on<lkt::invalid>(lkt::dsl::stop<lkt::invalid>)));
};

void open_step(planning_scene& c) {
    c.s.planning.open.push_back({"unroll the loop", 0, 0});
    REQUIRE(lkt::next_step(c.s) == lkt::next::step);
}

} // namespace

TEST_CASE("A step is valid, invalid, or nobody can say") {
    planning_scene c({nonsense, is_valid, is_invalid});
    open_step(c);
    CHECK(ended_in<lkt::unusable>(lkt::run<validation>(c.s, c.tools)));
    CHECK_FALSE(c.s.planning.past[0].validated);
    CHECK(ended_in<lkt::valid>(lkt::run<validation>(c.s, c.tools)));
    CHECK(c.s.planning.past[0].validated);
    CHECK(c.s.planning.past[0].end == lkt::step_end::open);
    open_step(c);
    CHECK(ended_in<lkt::invalid>(lkt::run<validation>(c.s, c.tools)));
    CHECK(c.s.planning.past[1].end == lkt::step_end::invalid);
    CHECK(c.s.planning.past[1].why == "It needs host code.");
}

TEST_CASE("The kernel is shown with the step") {
    planning_scene c({is_valid});
    open_step(c);
    CHECK(ended_in<lkt::valid>(lkt::run<validation>(c.s, c.tools)));
    CHECK(says(c.asked(0)[1].text, "if (i < n) y[i] = 2 * x[i];"));
    CHECK(says(c.asked(0)[1].text, "unroll the loop"));
}

TEST_CASE("Without a step at work nobody is asked, and an error leaves the state as it was") {
    planning_scene c({lkt::error{lkt::condition::unavailable, "x", "gone", {}}});
    CHECK(ended_in<lkt::invalid>(lkt::run<validation>(c.s, c.tools)));
    CHECK(c.calls() == 0);
    open_step(c);
    CHECK(lkt::run<validation>(c.s, c.tools).has_error());
    CHECK(c.s.planning.past[0].end == lkt::step_end::open);
    CHECK(c.s.planning.exchanges.empty());
}
