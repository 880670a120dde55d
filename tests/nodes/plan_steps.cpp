// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/plan_steps.hpp>

#include <doctest/doctest.h>

#include "../support/planning.hpp"

using namespace lkt_test;
using enum lkt::step_end;

namespace {

lkt::planning_state with_plan(std::initializer_list<char const*> texts) {
    lkt::planning_state s;
    for (char const* t : texts) s.planning.open.push_back({t, 0, 0});
    return s;
}

void attempt(lkt::planning_state& s, lkt::attempt_outcome outcome) {
    s.history.emplace_back().outcome = std::move(outcome);
    s.history.back().proposal.source.text = "another";
}

lkt::step_end end_after(std::vector<lkt::attempt_outcome> outcomes) {
    auto s = with_plan({"a"});
    attempt(s, lkt::improvement{}); // of another step
    CHECK(lkt::next_step(s) == lkt::next::step);
    lkt::assign_step(s);
    for (auto& o : outcomes) attempt(s, std::move(o));
    lkt::finish_step(s);
    CHECK(s.planning.past[0].records == outcomes.size());
    return s.planning.past[0].end;
}

lkt::failure const wrong(lkt::crashed{"segmentation fault", {}});

} // namespace

TEST_CASE("Steps are taken in order, and one is what the model is asked for") {
    auto s = with_plan({"a", "b"});
    CHECK(lkt::next_step(s) == lkt::next::step);
    CHECK(s.planning.past.back().end == open);
    lkt::assign_step(s);
    CHECK(s.step == "Step 1: a");
    lkt::finish_step(s);
    CHECK(s.step.empty());
    CHECK(lkt::next_step(s) == lkt::next::step);
    CHECK(s.planning.past.back().number == 2);
    CHECK(lkt::next_step(s) == lkt::next::none);
    CHECK(s.planning.past.size() == 2);
}

TEST_CASE("What a step came to is told from its own attempts") {
    CHECK(end_after({wrong, lkt::improvement{}}) == applied);
    CHECK(end_after({wrong, lkt::no_improvement{}}) == no_gain);
    CHECK(end_after({wrong, wrong}) == failed);
    CHECK(end_after({}) == failed);

    auto s = with_plan({"a"});
    (void)lkt::next_step(s);
    lkt::assign_step(s);
    s.history.emplace_back().outcome = lkt::no_improvement{}; // of the best kernel itself
    lkt::finish_step(s);
    CHECK(s.planning.past[0].end == not_applicable);
}

TEST_CASE("A run begins without a plan, and its limits stay") {
    auto s = with_plan({"a"});
    s.planning.past.resize(2);
    s.planning.replans = 2;
    s.planning.exchanges.resize(4);
    s.history.resize(3);
    s.planning.limits = {1, 2, 3, 4};
    lkt::begin_plan(s);
    CHECK(s.planning.open.empty());
    CHECK(s.planning.past.size() == 2);
    CHECK(s.planning.replans == 0);
    CHECK(s.planning.question_from == 4);
    CHECK(s.planning.history_from == 3);
    CHECK((s.planning.limits == lkt::planning_limits{1, 2, 3, 4}));
    lkt::begin_question(s);
    CHECK(s.planning.unusable().empty());
}

TEST_CASE("A run of the strategy answers for its own attempts") {
    lkt::planning_state s;
    attempt(s, lkt::improvement{});
    lkt::begin_plan(s);
    s.planning.past.resize(1);
    s.planning.exchanges.resize(1);
    CHECK(lkt::summarize_plan(s) == lkt::ending::nothing);
    CHECK(any_says(s.notes, "no step led to a correct kernel"));
    attempt(s, lkt::no_improvement{});
    CHECK(lkt::summarize_plan(s) == lkt::ending::correct);
    attempt(s, lkt::improvement{});
    s.planning.open.resize(1);
    CHECK(lkt::summarize_plan(s) == lkt::ending::improved);
    CHECK(any_says(s.notes, "1 planned step was not taken"));
}
