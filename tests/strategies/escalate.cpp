// SPDX-License-Identifier: BSL-1.0
#include <lkt/strategies/escalate.hpp>

#include <doctest/doctest.h>

#include <lkt/kernel/roofline.hpp>
#include <lkt/store/journal.hpp>
#include <lkt/store/journal_memory.hpp>
#include <lkt/tuner/tuner.hpp>

#include "../support/run_strategy.hpp"
#include "rewrites.hpp"

#include <string>
#include <vector>

using namespace lkt_test;

namespace {

using scene = stage<lkt::escalate_state>;
using strategy = lkt::escalate<lkt::default_prompts,
                               lkt::default_judge_prompts,
                               lkt::default_variation_prompts,
                               lkt::backoff{.first_ms = 0}>;

constexpr strategy small{
    .limits = {.rounds = 2, .generations = 1, .patience = 1, .islands = 1, .children = 2},
    .per_step = {.attempts = 1},
    .calls = {.in_flight = 1}};

lkt::scripted_turn advice(std::string const& fix) {
    return R"({"bottleneck": "memory", "fix": ")" + fix + R"(", "why": "it is far from the roof"})";
}
bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}
/// A device on which the original reaches a fifth of what memory allows.
void give_roof(lkt::tuning_state& s) {
    s.device.simulated = false;
    s.device.l2 = {};
    s.device.peaks.measured.copy =
        5 * static_cast<double>(*lkt::bytes_once(s.task)) / s.baseline.time.median().count();
}

} // namespace

TEST_CASE("One request that reaches the roof is all there is") {
    scene c({rewrite("speed 4.8"), advice("never asked")});
    give_roof(c.s);
    CHECK(ended_in<lkt::tuned>(run_strategy(small, c.s, c.tools)));
    CHECK(c.llm.left() == 1);
    REQUIRE(c.s.notes.size() == 2);
    CHECK(has(c.s.notes[0], "ended after one-prompt: the best kernel reaches 96 % of what memory"));
    CHECK(has(c.s.notes[0], "measured); 95 % are enough"));
    CHECK(c.s.notes[1] == "the best kernel is attempt 1, of one-prompt");
}

TEST_CASE("Below the roof the next stage begins, each from the best kernel so far") {
    scene c({rewrite("speed 2"),
             advice("a"),
             rewrite("speed 3"),
             advice("b"),
             rewrite("speed 2.5"),
             rewrite("speed 3.5"),
             rewrite("speed 4")});
    give_roof(c.s);
    CHECK(ended_in<lkt::tuned>(run_strategy(small, c.s, c.tools)));
    CHECK(c.llm.left() == 0);
    CHECK(c.best() == kernel_that("speed 4"));
    REQUIRE(c.s.notes.size() == 3);
    CHECK(has(c.s.notes[0], "refine comes next, from attempt 2 on: the best kernel reaches 40 %"));
    CHECK(has(c.s.notes[0], "less than 95 %"));
    CHECK(has(c.s.notes[1], "evolve comes next, from attempt 4 on: the best kernel reaches 60 %"));
    CHECK(c.s.notes[2] == "the best kernel is attempt 5, of evolve");
    auto const requests = c.llm.requests();
    REQUIRE(requests.size() == 7);
    CHECK(has(requests[1].messages[1].text, "speed 2"));
    CHECK(has(requests[5].messages[1].text, "speed 3"));

    // The roof may be reached in a later stage, too.
    scene d({rewrite("speed 2"), advice("a"), rewrite("speed 4.8"), advice("b"), "no"});
    give_roof(d.s);
    CHECK(ended_in<lkt::tuned>(run_strategy(small, d.s, d.tools)));
    CHECK(has(d.s.notes[1], "ended after refine: the best kernel reaches 96 %"));
    CHECK(d.s.notes[2] == "the best kernel is attempt 2, of refine");
}

TEST_CASE("Without a roof the next stage begins if the last one gained enough") {
    scene c({rewrite("speed 2"), advice("a"), rewrite("speed 2.06"), advice("b"), "no"});
    CHECK(ended_in<lkt::tuned>(run_strategy(small, c.s, c.tools)));
    CHECK(has(c.s.notes[0], "no measured roof is known, and one-prompt made the kernel 2 times"));
    CHECK(has(c.s.notes[1], "ended after refine: no measured roof is known, and refine made the"));
    CHECK(has(c.s.notes[1], "1.03 times as fast (1.05 is enough to go on)"));
    // Any gain will do.
    scene d({rewrite("speed 2"), advice("a"), rewrite("speed 2.06"), advice("b"), "no", "x", "y"});
    auto eager = small;
    eager.limits.gain = 3;
    CHECK(ended_in<lkt::tuned>(run_strategy(eager, d.s, d.tools)));
    CHECK(d.llm.left() == 0);
    CHECK(d.s.notes.back() == "the best kernel is attempt 2, of refine");
    // A kernel far above the roof shows that the roof is wrong.
    scene e({rewrite("speed 40"), advice("a"), "no"});
    give_roof(e.s);
    CHECK(ended_in<lkt::tuned>(run_strategy(small, e.s, e.tools)));
    CHECK(has(e.s.notes[0], "no measured roof"));
}

TEST_CASE("While no kernel is faster, the next stage begins, at a bounded cost") {
    scene c({rewrite("speed 0.5"), advice("a"), rewrite("wrong"), rewrite("broken"), "no"});
    CHECK(ended_in<lkt::unchanged>(run_strategy(small, c.s, c.tools)));
    CHECK(c.llm.left() == 0);
    CHECK(has(c.s.notes[0], "no kernel is faster than the original yet"));
    CHECK(c.s.best_from.empty());

    scene d(only_nonsense(100));
    CHECK(ended_in<lkt::gave_up>(run_strategy(lkt::escalate<>{}, d.s, d.tools)));
    // One request of three attempts; two rounds of three answers; two generations of two islands.
    CHECK(d.llm.requests().size() == 3 + 2 * 3 + 2 * 2 * 4);
}

TEST_CASE("A budget that is used up ends it between two stages, and a larger one leads on") {
    scene c({rewrite("speed 2"), advice("a"), rewrite("speed 3"), advice("b"), "no", "x", "y"});
    lkt::problem_tests tests;
    lkt::exhaustive search;
    lkt::toolbox tools{c.gpu, c.llm, tests, search};
    tools.budget.model_calls = 1;
    lkt::cursor<strategy> at;
    auto const ended = run_strategy(small, c.s, tools, at);
    REQUIRE(ended.has_error());
    CHECK(ended.error().code == "lkt.tuner.budget");
    CHECK(c.s.notes.empty());
    CHECK(c.llm.requests().size() == 1);
    tools.budget.model_calls = 0;
    std::vector<std::string> said;
    tools.on_progress = [&](lkt::progress_event const& e) {
        if (e.what == lkt::activity::deciding) said.emplace_back(e.last);
    };
    CHECK(ended_in<lkt::tuned>(run_strategy(small, c.s, tools, at)));
    REQUIRE(said.size() == 2);
    CHECK(said[0] == c.s.notes[0]);
    CHECK(c.best() == kernel_that("speed 3"));
}

TEST_CASE("A run that breaks off at any call goes on there and comes to the same end") {
    std::vector<lkt::scripted_turn> const turns{rewrite("speed 2"),
                                                advice("a"),
                                                rewrite("speed 3"),
                                                advice("b"),
                                                rewrite("speed 2.5"),
                                                rewrite("speed 3.5"),
                                                rewrite("speed 4")};
    auto const tuned = [&](lkt::journal_memory& sink, std::size_t from, std::size_t to) {
        std::vector<lkt::scripted_turn> mine(turns.begin() + static_cast<std::ptrdiff_t>(from),
                                             turns.begin() + static_cast<std::ptrdiff_t>(to));
        if (to < turns.size())
            mine.emplace_back(lkt::error{lkt::condition::unavailable, "x", "gone", {}});
        fake_gpu gpu(by_words);
        lkt::scripted_model llm(std::move(mine));
        auto journal = lkt::journal::over(sink);
        REQUIRE(journal.has_value());
        lkt::tune_options o;
        o.journal = &*journal;
        auto outcome = lkt::tuner{gpu, llm, small}.tune(twice_problem(), o);
        REQUIRE(outcome.has_value());
        CHECK(llm.left() == 0);
        return *outcome;
    };
    lkt::journal_memory undisturbed;
    auto const whole = tuned(undisturbed, 0, turns.size());
    CHECK(whole.terminal == "tuned");
    CHECK(whole.history.size() == 5);
    // One of two calls at once may fail: the other's reply is judged.
    for (std::size_t at = 0; at < turns.size() - 1; ++at) {
        CAPTURE(at);
        lkt::journal_memory sink;
        CHECK(tuned(sink, 0, at).stopped_by.has_value());
        auto const ended = tuned(sink, at, turns.size());
        CHECK(ended.terminal == whole.terminal);
        CHECK(ended.best.kernel == whole.best.kernel);
        CHECK(ended.notes == whole.notes);
        CHECK(ended.usage.calls == whole.usage.calls);
    }
}
