// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/plan.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/dsl.hpp>
#include <lkt/graph/run.hpp>
#include <lkt/llm/ask.hpp>

#include "../support/planning.hpp"

#include <string>

using namespace lkt_test;

namespace {

template <auto const& Node>
struct alone {
    static constexpr auto graph = lkt::graph<lkt::planning_state>(
        lkt::dsl::node<Node>(lkt::dsl::on<lkt::unusable>(lkt::dsl::stop<lkt::unusable>),
                             lkt::dsl::on<lkt::planned>(lkt::dsl::stop<lkt::planned>),
                             lkt::dsl::on<lkt::nothing_to_do>(lkt::dsl::stop<lkt::nothing_to_do>)));
};
using planning = alone<lkt::plan>;
using replanning = alone<lkt::replan>;

struct with_mode {
    fake_gpu& gpu;
    lkt::scripted_model& llm;
    lkt::answer_mode answers = lkt::answer_mode::separate_request;
    struct own : lkt::default_planning_prompts {
    } planning_prompts{};
};

} // namespace

TEST_CASE("A plan is taken, and its words are one line each") {
    planning_scene c({steps({"  first\\n step", "second", "second"})});
    CHECK(ended_in<lkt::planned>(lkt::run<planning>(c.s, c.tools)));
    REQUIRE(c.s.planning.open.size() == 2);
    CHECK(c.s.planning.open[0].text == "first step");
    CHECK(c.s.planning.open[1].replan == 0);
    CHECK(c.s.usage.calls == 1);
    CHECK(c.s.planning.exchanges.size() == 1);
    CHECK(c.s.planning.unusable().empty());
}

TEST_CASE("An empty plan is an answer, and another text is none") {
    planning_scene c({steps({}), nonsense});
    CHECK(ended_in<lkt::nothing_to_do>(lkt::run<planning>(c.s, c.tools)));
    CHECK(ended_in<lkt::unusable>(lkt::run<planning>(c.s, c.tools)));
    REQUIRE(c.s.planning.unusable().size() == 1);
    CHECK(c.s.planning.unusable()[0].reply == nonsense);
    CHECK_FALSE(c.s.planning.unusable()[0].faults.empty());
    CHECK(c.s.usage.calls == 2);
}

TEST_CASE("An answer that was cut off is told so") {
    lkt::chat_reply half;
    half.text = "{\"steps\": [";
    half.finish = lkt::finish::length;
    planning_scene c({half});
    CHECK(ended_in<lkt::unusable>(lkt::run<planning>(c.s, c.tools)));
    CHECK(c.calls() == 1);
    CHECK(says(c.s.planning.unusable()[0].faults[0], "cut off"));
}

TEST_CASE("A plan after the first is counted, one that is none is not") {
    planning_scene c({no_replan, replanned({}), replanned({"a"})});
    CHECK(ended_in<lkt::nothing_to_do>(lkt::run<replanning>(c.s, c.tools)));
    CHECK(ended_in<lkt::nothing_to_do>(lkt::run<replanning>(c.s, c.tools)));
    CHECK(c.s.planning.replans == 0);
    CHECK(ended_in<lkt::planned>(lkt::run<replanning>(c.s, c.tools)));
    CHECK(c.s.planning.replans == 1);
    CHECK(c.s.planning.open[0].replan == 1);
}

TEST_CASE("A failure of the world leaves the state as it was") {
    planning_scene c({lkt::error{lkt::condition::unavailable, "x", "gone", {}}});
    auto const end = lkt::run<planning>(c.s, c.tools);
    REQUIRE(end.has_error());
    CHECK(end.error().message == "gone");
    CHECK(c.s.planning.exchanges.empty());
    CHECK(c.s.usage.calls == 0);
}

TEST_CASE("Models without structured answers write freely, and are asked for the form afterwards") {
    planning_scene c({"I would do one thing.",
                      "```json\n" + steps({"one thing"}) + "\n```",
                      "Nothing more to say.",
                      nonsense});
    with_mode tools{c.gpu, c.llm};
    CHECK(ended_in<lkt::planned>(lkt::run<planning>(c.s, tools)));
    CHECK(c.s.usage.calls == 2);
    CHECK_FALSE(c.llm.requests()[0].format.has_value());
    // What is held against the model is what it said, not its form.
    CHECK(ended_in<lkt::unusable>(lkt::run<replanning>(c.s, tools)));
    CHECK(c.s.planning.unusable()[0].reply == "Nothing more to say.");
}
