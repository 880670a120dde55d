// SPDX-License-Identifier: BSL-1.0
#include <lkt/strategies/beam.hpp>

#include <doctest/doctest.h>

#include "../support/run_strategy.hpp"
#include "rewrites.hpp"

#include <algorithm>
#include <string>
#include <vector>

using namespace lkt_test;

namespace {

using scene = stage<lkt::beam_state>;

using at_once = lkt::beam<lkt::default_prompts, lkt::backoff{.first_ms = 0}>;

constexpr at_once search(int width, int depth, int branches) {
    return {.limits = {.width = width, .depth = depth, .branches = branches},
            .calls = {.in_flight = 1}};
}

/// Which kernel a request asks to rewrite.
bool about(lkt::chat_request const& r, std::string const& words) {
    return r.messages[1].text.find("\"" + words + "\"") != std::string::npos;
}

} // namespace

TEST_CASE("The fastest kernels are kept, and each of them is gone on from") {
    scene c({rewrite("speed 2"),
             rewrite("speed 1.5"),
             rewrite("wrong"),
             rewrite("speed 0.5"),
             // from 2 and 1.5, in turns
             rewrite("speed 1.8"),
             rewrite("speed 4"),
             rewrite("broken"),
             rewrite("speed 1.2"),
             // from 4 and 2
             rewrite("speed 5"),
             "no",
             rewrite("speed 3"),
             rewrite("speed 6")});
    CHECK(ended_in<lkt::tuned>(run_strategy(search(2, 3, 2), c.s, c.tools)));
    CHECK(c.best() == kernel_that("speed 6"));
    auto const requests = c.llm.requests();
    REQUIRE(requests.size() == 12);
    CHECK(about(requests[4], "speed 2"));
    CHECK(about(requests[5], "speed 1.5")); // not the fastest, and yet it led to the fastest
    CHECK(about(requests[6], "speed 2"));
    CHECK(about(requests[8], "speed 4"));
    CHECK(about(requests[9], "speed 2"));
    REQUIRE(c.s.beam.size() == 2);
    CHECK(c.s.beam[0].kernel.source.text == kernel_that("speed 6"));
    CHECK(c.s.beam[1].kernel.source.text == kernel_that("speed 5"));
    // The beam was measured with the proposals, as often as they were.
    CHECK(c.s.beam[0].time.samples.size() == c.s.beam[1].time.samples.size());
}

TEST_CASE("What is kept has passed every check") {
    scene c({rewrite("racy speed 9"), rewrite("speed 2"), rewrite("speed 3"), rewrite("speed 4")});
    CHECK(ended_in<lkt::tuned>(run_strategy(search(2, 2, 1), c.s, c.tools)));
    for (auto const& k : c.s.beam) CHECK(k.kernel.source.text.find("racy") == std::string::npos);
    CHECK(c.best() == kernel_that("speed 4"));
}

TEST_CASE("A level that brings nothing new ends it") {
    scene c({rewrite("speed 2"), rewrite("speed 3"), rewrite("wrong"), "no", rewrite("speed 9")});
    CHECK(ended_in<lkt::tuned>(run_strategy(search(1, 4, 2), c.s, c.tools)));
    CHECK(c.llm.left() == 1);
    CHECK(c.best() == kernel_that("speed 3"));

    scene slow({rewrite("speed 0.5"), rewrite("speed 0.4"), rewrite("speed 9")});
    CHECK(ended_in<lkt::unchanged>(run_strategy(search(1, 4, 2), slow.s, slow.tools)));
    CHECK(slow.llm.left() == 1);
    CHECK(slow.best() == original_text);
}

TEST_CASE("A beam of more than one keeps slower kernels too, and is no improvement for that") {
    scene c({rewrite("speed 0.9"), rewrite("speed 0.8"), rewrite("wrong"), rewrite("wrong 2")});
    CHECK(ended_in<lkt::unchanged>(run_strategy(search(2, 4, 1), c.s, c.tools)));
    CHECK(c.best() == original_text);
    CHECK(c.s.beam.size() == 2);
    CHECK(c.s.beam[0].kernel.source.text == original_text);
    CHECK(about(c.llm.requests()[3], "speed 0.9"));
}

TEST_CASE("A model that answers only nonsense ends in bounded calls") {
    scene c(only_nonsense(100));
    CHECK(ended_in<lkt::gave_up>(run_strategy(search(3, 4, 3), c.s, c.tools)));
    CHECK(c.llm.requests().size() == 9); // one level
    CHECK(c.best() == original_text);
}

TEST_CASE("A model that gives back what it was given ends in bounded calls, and improves nothing") {
    scene c(std::vector<lkt::scripted_turn>(100, reply_with(original_text)));
    CHECK(ended_in<lkt::unchanged>(run_strategy(search(3, 4, 3), c.s, c.tools)));
    CHECK(c.llm.requests().size() <= 36);
    CHECK(c.best() == original_text);
}

TEST_CASE("Calls that fail are made again in each level") {
    lkt::error const busy{lkt::condition::transient, "x", "overloaded", {}};
    std::vector<lkt::scripted_turn> turns;
    for (int level = 1; level <= 4; ++level) {
        turns.push_back(rewrite("speed " + std::to_string(2 * level)));
        turns.emplace_back(busy);
        turns.push_back(rewrite("speed " + std::to_string(2 * level + 1)));
    }
    scene c(turns);
    CHECK(ended_in<lkt::tuned>(run_strategy(search(1, 4, 2), c.s, c.tools)));
    CHECK(c.best() == kernel_that("speed 9"));
    CHECK(c.s.history.size() == 8);
}

TEST_CASE("How wide and how deep it goes is the state's to say") {
    scene c({rewrite("speed 2"), rewrite("speed 3"), rewrite("speed 4"), rewrite("speed 5"), "x"});
    c.s.limits = {.width = 1, .depth = 2, .branches = 2};
    CHECK(ended_in<lkt::tuned>(lkt::run<lkt::beam<>>(c.s, c.tools)));
    CHECK(c.llm.left() == 1);
    CHECK(c.s.beam.size() == 1);

    // Numbers that a tuner refuses ask nobody, and end.
    scene none(only_nonsense(2));
    none.s.limits = {.width = 0, .depth = 1, .branches = -1};
    CHECK(lkt::run<lkt::beam<>>(none.s, none.tools).has_value());
    CHECK(none.llm.left() == 2);
}

TEST_CASE("A run that failed goes on where it stood") {
    lkt::error const gone{lkt::condition::unavailable, "x", "no such model", {}};
    scene c({rewrite("speed 2"), gone, rewrite("speed 3")});
    constexpr at_once strategy = search(1, 2, 1);
    lkt::cursor<at_once> at;
    REQUIRE(run_strategy(strategy, c.s, c.tools, at).has_error());
    CHECK(c.best() == kernel_that("speed 2"));
    CHECK(ended_in<lkt::tuned>(run_strategy(strategy, c.s, c.tools, at)));
    CHECK(c.best() == kernel_that("speed 3"));
}
