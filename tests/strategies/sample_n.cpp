// SPDX-License-Identifier: BSL-1.0
#include <lkt/strategies/sample_n.hpp>

#include <doctest/doctest.h>

#include "../support/run_strategy.hpp"
#include "rewrites.hpp"

#include <string>
#include <vector>

using namespace lkt_test;

namespace {

using scene = stage<lkt::sample_n_state>;

using at_once = lkt::sample_n<lkt::default_prompts, lkt::backoff{.first_ms = 0}>;

constexpr at_once in_order(int samples) {
    return {.limits = {.samples = samples}, .calls = {.in_flight = 1}};
}

template <class Outcome>
bool is(lkt::attempt_record const& a) {
    return std::holds_alternative<Outcome>(a.outcome);
}

} // namespace

TEST_CASE(
    "All candidates are measured side by side, and the fastest correct one becomes the best") {
    scene c({rewrite("speed 2"),
             rewrite("broken"),
             rewrite("speed 3"),
             rewrite("wrong speed 9"),
             "no code",
             rewrite("speed 2.5")});
    CHECK(ended_in<lkt::tuned>(run_strategy(in_order(6), c.s, c.tools)));
    CHECK(c.best() == kernel_that("speed 3"));
    REQUIRE(c.s.history.size() == 6);
    CHECK(is<lkt::improvement>(c.s.history[2]));
    CHECK(is<lkt::failure>(c.s.history[1]));
    CHECK(is<lkt::failure>(c.s.history[3]));
    CHECK(is<lkt::failure>(c.s.history[4]));
    CHECK(c.timed("wrong speed 9") == 0);
    // The two others were measured as often as the winner, and in turns with it.
    CHECK(c.timed("speed 2.5") == c.timed("speed 3"));
    auto const* behind = std::get_if<lkt::no_improvement>(&c.s.history[5].outcome);
    REQUIRE(behind != nullptr);
    CHECK(behind->verdict == lkt::comparison::slower);
    CHECK(behind->got.samples.size() >= 6);
    CHECK(behind->best.median().count() == doctest::Approx(1e-3 / 3).epsilon(0.01));
    // What became the best is checked for races, and what is wrong, for the cause.
    CHECK(c.gpu.count("checked ") == 2);
}

TEST_CASE("One request is sent as often as there are samples, each with a seed of its own") {
    scene c({rewrite("a"), rewrite("b"), rewrite("c")});
    c.s.step = "Unroll the loop.";
    CHECK(ended_in<lkt::unchanged>(run_strategy(in_order(3), c.s, c.tools)));
    auto const requests = c.llm.requests();
    REQUIRE(requests.size() == 3);
    CHECK(requests[0].messages == requests[2].messages);
    CHECK(requests[0].seed != requests[2].seed);
    CHECK(requests[0].messages[1].text.find("Unroll the loop.") != std::string::npos);
    CHECK(c.s.history[1].step == "Unroll the loop.");
    CHECK(c.s.usage.calls == 3);
}

TEST_CASE("The same kernel is evaluated once, and never beats itself") {
    scene c({rewrite("speed 2"), rewrite("speed 2"), rewrite("speed 2")});
    CHECK(ended_in<lkt::tuned>(run_strategy(in_order(3), c.s, c.tools)));
    // Once to time it, once to check it, and for the numbers of its code before it wins.
    CHECK(c.gpu.count("compile " + kernel_that("speed 2")) <= 3); // the finals may build it again
    CHECK(is<lkt::improvement>(c.s.history[0]));
    CHECK(is<lkt::no_improvement>(c.s.history[1]));
    CHECK(c.s.history[2].notes.back().find("the same kernel as proposal 1") != std::string::npos);

    scene same({reply_with(original_text), reply_with("// mine\n" + original_text)});
    CHECK(ended_in<lkt::unchanged>(run_strategy(in_order(2), same.s, same.tools)));
    CHECK(same.best() == original_text);
}

TEST_CASE("The fastest one that races makes way for the next") {
    scene c({rewrite("racy speed 4"), rewrite("speed 3")});
    CHECK(ended_in<lkt::tuned>(run_strategy(in_order(2), c.s, c.tools)));
    CHECK(c.best() == kernel_that("speed 3"));
    CHECK(is<lkt::failure>(c.s.history[0]));
}

TEST_CASE("A model that answers only nonsense costs as many calls as there are samples") {
    scene c(only_nonsense(20));
    CHECK(ended_in<lkt::gave_up>(run_strategy(in_order(5), c.s, c.tools)));
    CHECK(c.llm.requests().size() == 5);
    CHECK(c.best() == original_text);
    CHECK(c.gpu.log.empty());
}

TEST_CASE("Calls that fail for a while are made again, without paying twice for the others") {
    lkt::error const busy{lkt::condition::transient, "x", "overloaded", {}};
    scene c({busy, rewrite("speed 2"), busy, rewrite("speed 3"), rewrite("speed 4")});
    CHECK(ended_in<lkt::tuned>(run_strategy(in_order(3), c.s, c.tools)));
    CHECK(c.llm.requests().size() == 5);
    CHECK(c.s.usage.calls == 3);
    CHECK(c.best() == kernel_that("speed 4"));
    // What came first is no step that was tried before what is asked for now.
    CHECK(c.llm.requests()[4].messages == c.llm.requests()[0].messages);

    // What never comes is left out; what came is evaluated.
    scene poor({rewrite("speed 2"), busy, busy, busy, busy, busy, busy});
    CHECK(ended_in<lkt::tuned>(run_strategy(in_order(3), poor.s, poor.tools)));
    CHECK(poor.llm.requests().size() == 7);
    CHECK(poor.s.history.size() == 1);

    scene down({busy, busy, busy, busy, busy, busy, busy});
    auto const end = run_strategy(in_order(2), down.s, down.tools);
    REQUIRE(end.has_error());
    CHECK(end.error().message == "overloaded");
    CHECK(down.s.history.empty());
}

TEST_CASE("A failure that stays ends the asking; what came is evaluated") {
    lkt::error const gone{lkt::condition::unavailable, "x", "no such model", {}};
    scene c({rewrite("speed 2"), gone, rewrite("speed 3")});
    CHECK(ended_in<lkt::tuned>(run_strategy(in_order(3), c.s, c.tools)));
    CHECK(c.s.history.size() == 2);
    REQUIRE(c.s.notes.size() >= 1);
    CHECK(c.s.notes.back().find("only 2 of 3") != std::string::npos);

    scene none({gone, gone});
    CHECK(run_strategy(in_order(2), none.s, none.tools).has_error());
}

TEST_CASE("A reply that is awaited suspends the run, as often as it takes") {
    lkt::error const awaited{lkt::condition::suspended, "x", "no reply yet", {}};
    std::vector<lkt::scripted_turn> turns;
    for (int session = 0; session < 5; ++session) {
        turns.push_back(rewrite("speed 2"));
        turns.emplace_back(awaited);
    }
    turns.push_back(rewrite("speed 2"));
    turns.push_back(rewrite("speed 3"));
    scene c(turns);
    lkt::cursor<at_once> at;
    for (int session = 0; session < 5; ++session) {
        auto const end = run_strategy(in_order(2), c.s, c.tools, at);
        REQUIRE(end.has_error());
        CHECK(end.error().kind == lkt::condition::suspended);
        CHECK(c.s.history.empty());
    }
    CHECK(ended_in<lkt::tuned>(run_strategy(in_order(2), c.s, c.tools, at)));
    CHECK(c.best() == kernel_that("speed 3"));
    CHECK(c.s.usage.calls == 2);
}

TEST_CASE("The budget of calls bounds the samples, and those that are paid for are judged") {
    scene c({rewrite("speed 2"), rewrite("speed 3"), rewrite("speed 4")});
    lkt::problem_tests tests;
    lkt::exhaustive all;
    lkt::toolbox<fake_gpu, lkt::scripted_model> tools{c.gpu, c.llm, tests, all};
    tools.budget.model_calls = 2;
    CHECK(ended_in<lkt::tuned>(run_strategy(in_order(3), c.s, tools)));
    CHECK(c.llm.left() == 1);
    CHECK(c.best() == kernel_that("speed 3"));
    CHECK(c.s.notes.back().find("budget") != std::string::npos);
}

TEST_CASE("A candidate's parameters do not crowd out the other candidates") {
    std::string const json = R"json({
        "parameters": {"BLOCK": [8, 12, 16, 20, 24, 28, 32, 36, 40, 44]},
        "launch": {"grid": ["ceil_div(N, BLOCK)"], "block": ["BLOCK"]}})json";
    scene c({reply_with(kernel_that("speed 3"), json), rewrite("speed 2.9")});
    CHECK(ended_in<lkt::tuned>(run_strategy(in_order(2), c.s, c.tools)));
    CHECK(c.timed("speed 2.9") == 8); // screened once, and in all seven rounds
}

TEST_CASE("How many are asked for is the state's to say") {
    scene c({rewrite("speed 2"), rewrite("speed 3"), rewrite("speed 4")});
    c.s.limits.samples = 2;
    CHECK(ended_in<lkt::tuned>(lkt::run<lkt::sample_n<>>(c.s, c.tools)));
    CHECK(c.llm.left() == 1);

    // A number that a tuner refuses asks nobody, and ends.
    scene none(only_nonsense(5));
    none.s.limits.samples = -3;
    CHECK(lkt::run<lkt::sample_n<>>(none.s, none.tools).has_value());
    CHECK(none.llm.left() == 5);
}

TEST_CASE("With calls in flight at once every reply is judged") {
    std::vector<lkt::scripted_turn> turns;
    for (int k = 1; k <= 12; ++k) turns.push_back(rewrite("speed " + std::to_string(k)));
    scene c(turns);
    constexpr lkt::sample_n<> wide{.limits = {.samples = 12}, .calls = {.in_flight = 6}};
    CHECK(ended_in<lkt::tuned>(run_strategy(wide, c.s, c.tools)));
    CHECK(c.best() == kernel_that("speed 12"));
    CHECK(c.s.history.size() == 12);
}
