// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/break_down.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/dsl.hpp>
#include <lkt/graph/run.hpp>
#include <lkt/nodes/plan_steps.hpp>

#include "../support/planning.hpp"

using namespace lkt_test;

namespace {

struct division {
    static constexpr auto graph = lkt::graph<lkt::planning_state>(lkt::dsl::node<lkt::break_down>(
        lkt::dsl::on<lkt::unusable>(lkt::dsl::stop<lkt::unusable>),
        lkt::dsl::on<lkt::whole>(lkt::dsl::stop<lkt::whole>),
        lkt::dsl::on<lkt::broken_down>(lkt::dsl::stop<lkt::broken_down>)));
};

void open_step(planning_scene& c, int level = 0) {
    c.s.planning.open = {{"big", level, 2}, {"last", 0, 2}};
    REQUIRE(lkt::next_step(c.s) == lkt::next::step);
}

} // namespace

TEST_CASE("The parts of a step lead the plan, one level deeper") {
    planning_scene c({divided({"half", "other half"})});
    open_step(c);
    CHECK(ended_in<lkt::broken_down>(lkt::run<division>(c.s, c.tools)));
    auto const& open = c.s.planning.open;
    REQUIRE(open.size() == 3);
    CHECK(open[0].text == "half");
    CHECK(open[0].level == 1);
    CHECK(open[0].replan == 2);
    CHECK(open[2].text == "last");
    CHECK(c.s.planning.past[0].end == lkt::step_end::broken_down);
    CHECK(says(c.asked(0)[1].text, "two to 9 steps"));
}

TEST_CASE("A step stays whole where the model says so") {
    planning_scene c({stays_whole});
    open_step(c);
    CHECK(ended_in<lkt::whole>(lkt::run<division>(c.s, c.tools)));
    CHECK(c.s.planning.open.size() == 1);
    CHECK(c.s.planning.past[0].end == lkt::step_end::open);
}

TEST_CASE("Levels and length are bounded without a question") {
    planning_scene c({});
    open_step(c, 1);
    CHECK(ended_in<lkt::whole>(lkt::run<division>(c.s, c.tools)));
    c.s.planning.limits.plan_length = 2;
    open_step(c, 0);
    CHECK(ended_in<lkt::whole>(lkt::run<division>(c.s, c.tools)));
    CHECK(c.calls() == 0);
}

TEST_CASE("Parts that are none, too many or the step itself are unusable, and told so") {
    planning_scene c({divided({"half"}), divided({"Big.", "last"}), divided({"1", "2", "3", "4"})});
    c.s.planning.limits.plan_length = 4;
    open_step(c);
    for (int i = 0; i < 3; ++i) CHECK(ended_in<lkt::unusable>(lkt::run<division>(c.s, c.tools)));
    auto const wrong = c.s.planning.unusable();
    REQUIRE(wrong.size() == 3);
    CHECK(says(wrong[0].faults[0], "fewer than two"));
    CHECK(says(wrong[1].faults[1], "was step 1"));
    CHECK(says(wrong[2].faults[0], "at most 3"));
    CHECK(c.s.planning.open.size() == 1);
}

TEST_CASE("An error leaves the state as it was") {
    planning_scene c({lkt::error{lkt::condition::unavailable, "x", "gone", {}}});
    open_step(c);
    CHECK(lkt::run<division>(c.s, c.tools).has_error());
    CHECK(c.s.planning.open.size() == 1);
    CHECK(c.s.planning.exchanges.empty());
}
