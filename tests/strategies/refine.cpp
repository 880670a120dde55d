// SPDX-License-Identifier: BSL-1.0
#include <lkt/strategies/refine.hpp>

#include <doctest/doctest.h>

#include "../support/run_strategy.hpp"
#include "rewrites.hpp"

#include <string>
#include <vector>

using namespace lkt_test;

namespace {

using scene = stage<lkt::refine_state>;

using at_once =
    lkt::refine<lkt::default_prompts, lkt::default_judge_prompts, lkt::backoff{.first_ms = 0}>;

constexpr at_once rounds(int count, int patience = 3, int attempts = 2) {
    return {.limits = {.rounds = count, .patience = patience}, .per_step = {.attempts = attempts}};
}

lkt::scripted_turn advice(std::string const& fix) {
    return R"({"bottleneck": "global memory", "fix": ")" + fix +
           R"(", "why": "it reaches 3 % of what memory allows"})";
}
std::string text_of(lkt::chat_request const& r) {
    std::string all;
    for (auto const& m : r.messages) all += m.text + "\n";
    return all;
}
bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("Each round the coder makes the one change that the judge names") {
    scene c({advice("Tile it."),
             rewrite("speed 2"),
             advice("Load four values at once."),
             rewrite("speed 3")});
    CHECK(ended_in<lkt::tuned>(run_strategy(rounds(2), c.s, c.tools)));
    CHECK(c.best() == kernel_that("speed 3"));
    auto const requests = c.llm.requests();
    REQUIRE(requests.size() == 4);
    // The coder is told the change and why; it starts with a clean sheet each round.
    CHECK(has(text_of(requests[1]), "Tile it.\nWhat it is for: global memory"));
    CHECK(requests[1].messages.size() == 2);
    CHECK(has(text_of(requests[3]), "Load four values at once."));
    CHECK(has(requests[3].messages[1].text, "speed 2")); // from the best kernel so far
    // The judge is asked in a form, and has its own words.
    REQUIRE(requests[0].format.has_value());
    CHECK_FALSE(requests[1].format.has_value());
    CHECK(has(requests[0].messages[0].text, "You judge CUDA kernels"));
    CHECK(c.s.history[0].step.starts_with("Tile it."));
    CHECK(c.s.usage.calls == 4);
    CHECK(c.s.step.empty());
}

TEST_CASE("The judge sees measurements, earlier changes, and what became of the last rewrite") {
    scene c({advice("Tile it."),
             rewrite("broken"),
             rewrite("broken again"),
             advice("Unroll it."),
             rewrite("wrong"),
             rewrite("speed 0.5"),
             advice("Vectorise it."),
             rewrite("speed 2"),
             advice("Fuse it."),
             "none",
             "none"});
    c.s.best.resources = lkt::kernel_resources{.registers = 40, .spill_store_bytes = 8};
    c.s.best.occupancy = 0.5;
    CHECK(ended_in<lkt::tuned>(run_strategy(rounds(4), c.s, c.tools)));
    auto const requests = c.llm.requests();
    REQUIRE(requests.size() == 11);
    std::string const first = text_of(requests[0]), second = text_of(requests[3]),
                      third = text_of(requests[6]), fourth = text_of(requests[8]);
    for (char const* fact : {"40 registers a thread", "spills: 8 bytes stored", "occupancy 50 %"}) {
        CHECK_MESSAGE(has(first, fact), fact);
        CHECK_MESSAGE(has(text_of(requests[1]), fact), fact); // the coder as well
    }
    CHECK_FALSE(has(first, "The last rewrite"));
    CHECK(has(second, "2:1: error: no"));         // the compiler's words
    CHECK(has(second, "\"broken again\""));       // the rewrite itself
    CHECK(has(second, "- Tile it."));             // among what was tried
    CHECK(has(third, "against"));                 // the times of the slower one
    CHECK(has(third, "64 of 64"));                // what was wrong with the one before
    CHECK_FALSE(has(fourth, "The last rewrite")); // it was accepted
}

TEST_CASE("Rounds without gain end it") {
    scene c({advice("a"),
             rewrite("speed 0.5"),
             advice("b"),
             rewrite("speed 0.4"),
             advice("never asked")});
    CHECK(ended_in<lkt::unchanged>(run_strategy(rounds(9, 2, 1), c.s, c.tools)));
    CHECK(c.llm.left() == 1);
    CHECK(c.s.without_gain == 2);

    // A gain in between starts the count anew.
    scene d({advice("a"),
             rewrite("speed 0.5"),
             advice("b"),
             rewrite("speed 2"),
             advice("c"),
             rewrite("speed 0.6"),
             advice("d"),
             rewrite("speed 0.7")});
    CHECK(ended_in<lkt::tuned>(run_strategy(rounds(9, 2, 1), d.s, d.tools)));
    CHECK(d.llm.left() == 0);
}

TEST_CASE("A change that was tried before is refused, once and for all") {
    scene c({advice("Tile it."),
             rewrite("wrong"),
             advice("Tile it."),
             advice("Unroll it."),
             rewrite("speed 2")});
    CHECK(ended_in<lkt::tuned>(run_strategy(rounds(2, 3, 1), c.s, c.tools)));
    CHECK(has(text_of(c.llm.requests()[3]), "tried before"));
    CHECK(c.s.usage.calls == 5);
}

TEST_CASE("A model that answers only nonsense ends in bounded calls") {
    scene c(only_nonsense(200));
    CHECK(ended_in<lkt::gave_up>(run_strategy(rounds(10), c.s, c.tools)));
    CHECK(c.llm.requests().size() == 9); // three answers of the judge in each of three rounds
    CHECK(c.s.usage.calls == 9);
    CHECK(c.best() == original_text);
    CHECK(c.s.step.empty());

    // A judge that can and a coder that cannot.
    std::vector<lkt::scripted_turn> turns;
    for (int k = 0; k < 10; ++k) {
        turns.push_back(advice("idea " + std::to_string(k)));
        for (auto& turn : only_nonsense(2)) turns.push_back(turn);
    }
    scene d(turns);
    CHECK(ended_in<lkt::gave_up>(run_strategy(rounds(10), d.s, d.tools)));
    CHECK(d.llm.requests().size() == 9);
}

TEST_CASE("The kernel itself is never an improvement, however often it comes") {
    std::vector<lkt::scripted_turn> turns;
    for (int k = 0; k < 3; ++k) {
        turns.push_back(advice("idea " + std::to_string(k)));
        turns.emplace_back(reply_with(original_text));
    }
    scene c(turns);
    CHECK(ended_in<lkt::unchanged>(run_strategy(rounds(3, 3, 1), c.s, c.tools)));
    CHECK(c.best() == original_text);
}

TEST_CASE("A judge that cannot be reached ends the run, and it goes on there") {
    lkt::error const gone{lkt::condition::unavailable, "x", "no such model", {}};
    scene c({advice("a"), rewrite("speed 2"), gone, advice("b"), rewrite("speed 3")});
    constexpr at_once strategy = rounds(2, 3, 1);
    lkt::cursor<at_once> at;
    auto const down = run_strategy(strategy, c.s, c.tools, at);
    REQUIRE(down.has_error());
    CHECK(down.error().message == "no such model");
    CHECK(c.best() == kernel_that("speed 2"));
    CHECK(ended_in<lkt::tuned>(run_strategy(strategy, c.s, c.tools, at)));
    CHECK(c.best() == kernel_that("speed 3"));
    CHECK(c.llm.left() == 0);
}

TEST_CASE("Its numbers are those of the state") {
    scene c({advice("a"), "no", "no", "no", advice("b"), "no", "no", "no", advice("c")});
    c.s.limits = {.rounds = 9, .patience = 2};
    c.s.per_step.attempts = 3;
    CHECK(ended_in<lkt::gave_up>(lkt::run<lkt::refine<>>(c.s, c.tools)));
    CHECK(c.llm.left() == 1);

    scene d({advice("a"), rewrite("speed 2"), advice("b")});
    d.s.limits.rounds = 1;
    CHECK(ended_in<lkt::tuned>(lkt::run<lkt::refine<>>(d.s, d.tools)));
    CHECK(d.llm.left() == 1);
}
