// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/planning_prompts.hpp>

#include <doctest/doctest.h>

#include "../support/planning.hpp"

#include <vector>

using namespace lkt_test;

namespace {

lkt::planning_brief brief(planning_scene const& c) {
    return {{c.s.task, c.s.best, c.s.baseline.time, c.s.device},
            c.s.planning.past,
            c.s.planning.open,
            c.s.history,
            nullptr,
            5};
}

lkt::past_step past(std::string text, lkt::step_end end) {
    lkt::past_step p;
    p.step.text = std::move(text);
    p.end = end;
    return p;
}

struct terse : lkt::default_planning_prompts {
    terse() { texts.again = "No: ${faults}"; }
};
struct incomplete {
    std::string system(lkt::planning_brief const&) const { return {}; }
};

} // namespace

static_assert(lkt::planning_prompt_set<lkt::default_planning_prompts>);
static_assert(lkt::planning_prompt_set<terse> && !lkt::planning_prompt_set<incomplete>);

TEST_CASE("Questions share their beginning, so that servers know it already") {
    planning_scene c({});
    lkt::default_planning_prompts const words;
    auto const plan = words.question(lkt::planning_question::plan, brief(c));
    auto const replan = words.question(lkt::planning_question::replan, brief(c));
    std::size_t same = 0;
    while (plan[same] == replan[same]) ++same;
    CHECK(same > replan.find("Measured"));
    CHECK(says(words.system(brief(c)), "Rules for a step"));
    CHECK(says(words.system(brief(c)), "CUDA"));
    CHECK_FALSE(says(plan, "${"));
}

TEST_CASE("Ends of steps are told apart") {
    planning_scene c({});
    using enum lkt::step_end;
    c.s.planning.past = {past("a", failed),
                         past("b", invalid),
                         past("c", not_applicable),
                         past("d", broken_down),
                         past("e", no_gain),
                         past("f\nspoof", open)};
    c.s.planning.past[0].why = "It crashes.";
    c.s.planning.past[4].records = 1;
    c.s.history.emplace_back().outcome = lkt::no_improvement{};
    auto const text =
        lkt::default_planning_prompts{}.question(lkt::planning_question::replan, brief(c));
    for (char const* line : {"- Step 1: a: failed, It crashes.",
                             "- Step 1: b: invalid, not tried",
                             "- Step 1: c: not applicable: the kernel came back unchanged",
                             "- Step 1: d: broken down into smaller steps",
                             "- Step 1: e: correct but not faster",
                             "- Step 1: f spoof: not tried"}) {
        CAPTURE(line);
        CHECK(says(text, line));
    }
}

TEST_CASE("A text can be replaced at run time") {
    lkt::planning_texts texts;
    REQUIRE(texts.replace("validate", "Valid?\n${step}").has_value());
    CHECK(texts.validate.text() == "Valid?\n${step}");
    CHECK(texts.replace("validate", "${kernel}").error().code == "lkt.prompt.unknown");
    auto const none = texts.replace("judge", "");
    CHECK(none.error().code == "lkt.prompt.name");
    CHECK(says(none.error().hint, "break_down, replan"));
}

TEST_CASE("Faults are a list, and the words can be others") {
    CHECK(says(lkt::default_planning_prompts{}.again({"one", "two"}), "- one\n- two"));
    CHECK(terse{}.again({"one"}) == "No: - one");
}
