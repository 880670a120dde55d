// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/planning_state.hpp>

#include <doctest/doctest.h>

namespace {

struct mine {
    lkt::tuning_state tuning;
};

} // namespace

static_assert(lkt::planning_fields<lkt::planning_state>);
static_assert(lkt::tuning_fields<lkt::planning_state>);
static_assert(!lkt::planning_fields<lkt::tuning_state> && !lkt::planning_fields<mine>);

TEST_CASE("A step is called by its number, its level and its plan") {
    lkt::past_step p;
    p.step.text = "use shared memory";
    p.number = 3;
    CHECK(lkt::step_words(p) == "Step 3: use shared memory");
    p.step.level = 1;
    CHECK(lkt::step_words(p) == "Step 3: use shared memory (breakdown level 1)");
    p.step.replan = 2;
    CHECK(lkt::step_words(p) == "Step 3: use shared memory (breakdown level 1) (replan 2)");
}

TEST_CASE("The unusable answers are those of the question at hand") {
    lkt::planning_record p;
    CHECK(p.unusable().empty());
    p.exchanges.resize(3);
    p.question_from = 1;
    CHECK(p.unusable().size() == 2);
}

TEST_CASE("Ends and questions have names") {
    CHECK(to_string(lkt::step_end::not_applicable) == "not-applicable");
    CHECK(to_string(lkt::step_end::broken_down) == "broken-down");
    CHECK(to_string(lkt::planning_question::break_down) == "break-down");
    lkt::planning_state s;
}
