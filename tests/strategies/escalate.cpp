// SPDX-License-Identifier: BSL-1.0
#include <lkt/strategies/escalate.hpp>

#include <doctest/doctest.h>

#include <lkt/kernel/roofline.hpp>
#include <lkt/store/checkpoint.hpp>
#include <lkt/store/journal.hpp>
#include <lkt/store/journal_memory.hpp>

#include "rewrites.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

using namespace lkt_test;

namespace {

using strategy = lkt::escalate<lkt::default_prompts,
                               lkt::default_judge_prompts,
                               lkt::default_variation_prompts,
                               lkt::backoff{.first_ms = 0}>;

constexpr strategy small{
    .limits = {.rounds = 2, .generations = 1, .patience = 1, .islands = 1, .children = 2},
    .per_step = {.attempts = 1},
    .calls = {.in_flight = 1}};

/// Every run is saved, so that one instantiation serves them all.
struct scene : stage<lkt::escalate_state> {
    using stage::stage;

    auto run(strategy const& how = small) {
        how.adjust(s);
        return lkt::run<strategy>(s, with, at, keep);
    }
    /// As another process, which is given what is left to say, goes on with the journal.
    void take_over(lkt::journal_memory& from) {
        auto saved = lkt::journal::over(from).value();
        REQUIRE(lkt::resume<strategy>(saved, s, at).value());
    }

    struct {
        fake_gpu& gpu;
        lkt::scripted_model& llm;
        lkt::run_budget budget = {};
        lkt::progress_sink on_progress = {};
        std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
    } with{gpu, llm};
    lkt::cursor<strategy> at;
    lkt::journal_memory bytes;
    lkt::checkpoint keep{lkt::journal::over(bytes).value()};
};

lkt::scripted_turn advice(std::string const& fix) {
    return R"({"bottleneck": "memory", "fix": ")" + fix + R"(", "why": "it is far from the roof"})";
}
bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}
/// A device on which the original reaches a fifth of what memory allows.
void give_roof(lkt::tuning_state& s) {
    s.task.work.operations = lkt::expression(0);
    s.device.simulated = false;
    s.device.l2 = {};
    s.device.peaks.measured.copy =
        5 * static_cast<double>(*lkt::bytes_once(s.task)) / s.baseline.time.median().count();
}

} // namespace

TEST_CASE("One request that reaches the roof is all there is") {
    scene c({rewrite("speed 4.8"), advice("never asked")});
    give_roof(c.s);
    CHECK(ended_in<lkt::tuned>(c.run()));
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
    CHECK(ended_in<lkt::tuned>(c.run()));
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
    CHECK(ended_in<lkt::tuned>(d.run()));
    CHECK(has(d.s.notes[1], "ended after refine: the best kernel reaches 96 %"));
    CHECK(d.s.notes[2] == "the best kernel is attempt 2, of refine");
}

TEST_CASE("Without a roof the next stage begins if the last one gained enough") {
    scene c({rewrite("speed 2"), advice("a"), rewrite("speed 2.06"), advice("b"), "no"});
    CHECK(ended_in<lkt::tuned>(c.run()));
    CHECK(has(c.s.notes[0], "no measured roof is known, and one-prompt made the kernel 2 times"));
    CHECK(has(c.s.notes[1], "ended after refine: no measured roof is known, and refine made the"));
    CHECK(has(c.s.notes[1], "1.03 times as fast (1.05 is enough to go on)"));
    // Any gain will do.
    scene d({rewrite("speed 2"), advice("a"), rewrite("speed 2.06"), advice("b"), "no", "x", "y"});
    auto eager = small;
    eager.limits.gain = 3;
    CHECK(ended_in<lkt::tuned>(d.run(eager)));
    CHECK(d.llm.left() == 0);
    CHECK(d.s.notes.back() == "the best kernel is attempt 2, of refine");
    // A kernel that does not reach memory's roof may be at that of arithmetic.
    scene f({rewrite("speed 2"), advice("a"), rewrite("speed 2.06"), advice("b"), "no"});
    give_roof(f.s);
    f.s.task.work.operations.reset();
    CHECK(ended_in<lkt::tuned>(f.run()));
    CHECK(has(f.s.notes[0], "reaches 40 % of what memory allows"));
    CHECK(has(f.s.notes[0], "; how many operations it has is not known, and one-prompt made"));
    CHECK(has(f.s.notes[1], "ended after refine: the best kernel reaches 41.2 % of what memory"));
    // A kernel far above the roof shows that the roof is wrong.
    scene e({rewrite("speed 40"), advice("a"), "no"});
    give_roof(e.s);
    CHECK(ended_in<lkt::tuned>(e.run()));
    CHECK(has(e.s.notes[0], "no measured roof"));
}

TEST_CASE("While no kernel is faster, the next stage begins, at a bounded cost") {
    scene c({rewrite("speed 0.5"), advice("a"), rewrite("wrong"), rewrite("broken"), "no"});
    CHECK(ended_in<lkt::unchanged>(c.run()));
    CHECK(c.llm.left() == 0);
    CHECK(has(c.s.notes[0], "no kernel is faster than the original yet"));
    CHECK(c.s.best_from.empty());

    scene d(only_nonsense(100));
    CHECK(ended_in<lkt::gave_up>(d.run({})));
    // One request of three attempts; two rounds of three answers; two generations of two islands.
    CHECK(d.llm.requests().size() == 3 + 2 * 3 + 2 * 2 * 4);
}

TEST_CASE("A budget that is used up ends it between two stages, and a larger one leads on") {
    scene c({rewrite("speed 2"), advice("a"), rewrite("speed 3"), advice("b"), "no", "x", "y"});
    c.with.budget.model_calls = 1;
    auto const ended = c.run();
    REQUIRE(ended.has_error());
    CHECK(ended.error().code == "lkt.tuner.budget");
    CHECK(c.s.notes.empty());
    CHECK(c.llm.requests().size() == 1);
    c.with.budget.model_calls = 0;
    std::vector<std::string> said;
    c.with.on_progress = [&](lkt::progress_event const& e) {
        if (e.what == lkt::activity::deciding) said.emplace_back(e.last);
    };
    CHECK(ended_in<lkt::tuned>(c.run()));
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
    scene whole(turns);
    CHECK(ended_in<lkt::tuned>(whole.run()));
    CHECK(whole.s.history.size() == 5);
    // One of two calls at once may fail: the other's reply is judged.
    for (std::size_t k = 0; k < turns.size() - 1; ++k) {
        CAPTURE(k);
        auto const cut = turns.begin() + static_cast<std::ptrdiff_t>(k);
        scene before({turns.begin(), cut}), after({cut, turns.end()});
        REQUIRE(before.run().has_error());
        after.take_over(before.bytes);
        CHECK(ended_in<lkt::tuned>(after.run()));
        CHECK(after.llm.left() == 0);
        CHECK(after.s.best.kernel == whole.s.best.kernel);
        CHECK(after.s.notes == whole.s.notes);
        CHECK(after.s.usage.calls == whole.s.usage.calls);
    }
}
