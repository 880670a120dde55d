// SPDX-License-Identifier: BSL-1.0
// What a run says to a strategy that plans, and gets from it.
#include <lkt/tuner/tuner.hpp>

#include <doctest/doctest.h>

#include <lkt/store/journal_memory.hpp>
#include <lkt/strategies/autonomous.hpp>

#include "../support/planning.hpp"

using namespace lkt_test;

TEST_CASE("Words and the form of answers are options of a run, and limits the strategy's") {
    fake_gpu gpu(by_remark);
    lkt::scripted_model llm{
        nonsense, nonsense, "Two things.", steps({"a", "b"}), "It fits.", is_valid, code("quick")};
    lkt::tune_options options;
    constexpr lkt::autonomous<lkt::autonomous_knobs{.breakdown = true}> strategy{
        .limits = {.plan_length = 1, .max_steps = 4, .max_breakdowns = 0, .max_replans = 0},
        .per_step = {.attempts = 2}};
    options.answers = lkt::answer_mode::separate_request;
    options.planning_prompts.texts.again = "No! ${faults}";
    auto const outcome = lkt::tuner{gpu, llm, strategy}.tune(twice_problem(), options);
    REQUIRE_MESSAGE(outcome.has_value(), to_string(outcome.error()));
    CHECK(outcome->terminal == "tuned");
    CHECK(llm.left() == 0);
    CHECK(says(llm.requests()[2].messages.back().text, "No! "));
    CHECK(says(llm.requests()[0].messages.back().text, "at most 1 steps"));
    CHECK(outcome->planning.past.size() == 1);
    CHECK(outcome->usage.calls == 7);
}

TEST_CASE("A form that the server refuses is tried once in a run") {
    lkt::error const refused{
        lkt::condition::rejected, "lkt.http.status", "response_format is not supported", {}};
    fake_gpu gpu(by_remark);
    lkt::scripted_model llm{refused, steps({"a"}), is_valid, code("quick"), no_replan};
    auto const outcome = lkt::tuner{gpu, llm, lkt::autonomous<>{}}.tune(twice_problem());
    REQUIRE_MESSAGE(outcome.has_value(), to_string(outcome.error()));
    CHECK(outcome->terminal == "tuned");
    CHECK(llm.left() == 0);
    CHECK(llm.requests()[2].format->kind == lkt::answer_kind::tool_call);
}

TEST_CASE("A model that is gone leaves the best kernel, and the plan as far as it came") {
    fake_gpu gpu(by_remark);
    lkt::scripted_model llm{steps({"a", "b"}), is_valid, code("quick")};
    auto const outcome = lkt::tuner{gpu, llm, lkt::autonomous<>{}}.tune(twice_problem());
    REQUIRE_MESSAGE(outcome.has_value(), to_string(outcome.error()));
    REQUIRE(outcome->stopped_by.has_value());
    CHECK(outcome->improved());
    REQUIRE(outcome->planning.past.size() == 2);
    CHECK(outcome->planning.past[1].end == lkt::step_end::open);
}

TEST_CASE("A budget of calls counts every question") {
    fake_gpu gpu(by_remark);
    lkt::scripted_model llm{steps({"a", "b"}), is_valid, code("quick"), is_valid, code("quicker")};
    lkt::tune_options options;
    options.budget.model_calls = 4;
    auto const outcome = lkt::tuner{gpu, llm, lkt::autonomous<>{}}.tune(twice_problem(), options);
    REQUIRE_MESSAGE(outcome.has_value(), to_string(outcome.error()));
    CHECK(outcome->stopped_by->code == "lkt.tuner.budget");
    CHECK(outcome->improved());
    CHECK(llm.left() == 1);
}

TEST_CASE("The limits of a plan are journalled with it") {
    constexpr lkt::autonomous<> brief_plans{.limits = {.plan_length = 1, .max_replans = 1}};
    lkt::journal_memory sink;
    auto const session = [&](std::vector<lkt::scripted_turn> turns) {
        auto journal = lkt::journal::over(sink);
        REQUIRE(journal.has_value());
        lkt::tune_options options;
        options.journal = &*journal;
        fake_gpu gpu(by_remark);
        lkt::scripted_model llm(std::move(turns));
        auto const outcome = lkt::tuner{gpu, llm, brief_plans}.tune(twice_problem(), options);
        REQUIRE_MESSAGE(outcome.has_value(), to_string(outcome.error()));
        CHECK(llm.left() == 0);
        return outcome->planning;
    };
    (void)session({steps({"a", "b"}), is_valid});
    auto const planning =
        session({code("quick"), replanned({"c", "d"}), is_valid, code("quicker")});
    CHECK(planning.limits.plan_length == 1);
    CHECK(planning.past.size() == 2);
}
