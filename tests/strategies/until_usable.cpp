// SPDX-License-Identifier: BSL-1.0
#include <lkt/strategies/until_usable.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/run.hpp>
#include <lkt/nodes/plan.hpp>

#include "../support/planning.hpp"

#include <type_traits>
#include <variant>

using namespace lkt_test;

namespace {
using question = lkt::until_usable<lkt::plan>;
} // namespace

static_assert(std::is_same_v<lkt::outcome_of<question>,
                             std::variant<lkt::no_answer, lkt::planned, lkt::nothing_to_do>>);
static_assert(lkt::graph_name<question> == "plan");

TEST_CASE("A question is asked until its answer can be used, or its attempts are used up") {
    planning_scene c({nonsense, steps({"a"}), nonsense, nonsense, nonsense, steps({"b"})});
    c.s.per_step.attempts = 2;
    CHECK(ended_in<lkt::planned>(lkt::run<question>(c.s, c.tools)));
    CHECK(ended_in<lkt::no_answer>(lkt::run<question>(c.s, c.tools)));
    CHECK(c.calls() == 4);
    CHECK(c.asked(2).size() == 2); // begun anew
    CHECK(c.asked(3).size() == 4);
    // Unusable answers to a question before are none of the next one's.
    c.s.per_step.attempts = 3;
    CHECK(ended_in<lkt::planned>(lkt::run<question>(c.s, c.tools)));
    CHECK(c.asked(4).size() == 2);
}
