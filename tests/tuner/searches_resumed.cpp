// SPDX-License-Identifier: BSL-1.0
// Strategies over several kernels, stopped at each of their calls and gone on with from the
// journal.
#include <lkt/strategies/beam.hpp>

#include <doctest/doctest.h>

#include <lkt/llm/scripted.hpp>
#include <lkt/store/journal_memory.hpp>
#include <lkt/strategies/evolve.hpp>
#include <lkt/strategies/refine.hpp>
#include <lkt/strategies/repeated.hpp>
#include <lkt/strategies/sample_n.hpp>
#include <lkt/tuner/tuner.hpp>

#include "../strategies/rewrites.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

using namespace lkt_test;

namespace {

/// Answers by what it is asked, so that it does not matter in which session. Ends the run at one of
/// its calls.
struct thinker {
    int calls = 0;
    int stop_at = -1;
    std::stop_source stop;
    lkt::result<lkt::chat_reply> complete(lkt::chat_request const& r, lkt::call_context const&) {
        if (calls == stop_at) {
            stop.request_stop();
            return lkt::cancelled("thinking");
        }
        ++calls;
        std::uint64_t h = r.seed.value_or(0) * 31;
        // Lines, since the times in them differ from session to session.
        for (auto const& m : r.messages)
            h = h * 7 + static_cast<std::uint64_t>(std::count(m.text.begin(), m.text.end(), '\n'));
        std::string const number = std::to_string(h % 1000);
        lkt::chat_reply reply;
        if (r.format)
            reply.text = R"({"bottleneck": "b", "fix": "fix )" + number + R"(", "why": "w"})";
        else if (h % 5 == 0)
            reply.text = reply_with(kernel_that("wrong " + number));
        else // kernels of one speed are one kernel: which of two is faster is never left to luck
            reply.text = reply_with(kernel_that("speed " + std::to_string(std::pow(1.08, h % 40))));
        reply.model = "thinker";
        reply.usage = {100, 10};
        return reply;
    }
};

template <class Strategy>
struct session {
    fake_gpu gpu{by_words};
    Strategy strategy;
    thinker llm{};

    auto tune(lkt::journal_memory& sink) {
        auto journal = lkt::journal::over(sink);
        REQUIRE(journal.has_value());
        lkt::tune_options o;
        o.journal = &*journal;
        o.stop = llm.stop.get_token();
        return lkt::tuner{gpu, llm, strategy}.tune(twice_problem(), o);
    }
};

template <class Strategy>
void check_each_stop(Strategy const& strategy) {
    lkt::journal_memory undisturbed;
    session<Strategy> whole{.strategy = strategy};
    auto const all = whole.tune(undisturbed);
    REQUIRE_MESSAGE(all.has_value(), to_string(all.error()));
    CHECK(all->terminal == "tuned");
    REQUIRE(whole.llm.calls > 3);
    for (int stop_at = 0; stop_at < whole.llm.calls; ++stop_at) {
        CAPTURE(stop_at);
        lkt::journal_memory sink;
        session<Strategy> first{.strategy = strategy}, second{.strategy = strategy};
        first.llm.stop_at = stop_at;
        auto const stopped = first.tune(sink);
        REQUIRE(stopped.has_value());
        CHECK(stopped->stopped_by.has_value());
        auto const ended = second.tune(sink);
        REQUIRE(ended.has_value());
        CHECK(ended->terminal == all->terminal);
        CHECK(ended->history.size() == all->history.size());
        for (std::size_t k = 0; k < ended->history.size(); ++k) {
            CHECK(ended->history[k].reply == all->history[k].reply);
            CHECK(ended->history[k].outcome.index() == all->history[k].outcome.index());
        }
        CHECK(ended->best.kernel == all->best.kernel);
        CHECK(ended->usage.calls == all->usage.calls);
        CHECK(first.llm.calls + second.llm.calls == whole.llm.calls);
    }
}

} // namespace

TEST_CASE("sample_n, stopped at any call of the model, comes to the same end") {
    check_each_stop(lkt::sample_n<>{.limits = {.samples = 5}, .calls = {.in_flight = 1}});
}

TEST_CASE("refine, likewise") {
    check_each_stop(lkt::refine<>{.limits = {.rounds = 4, .patience = 4}});
}

TEST_CASE("beam, likewise") {
    check_each_stop(
        lkt::beam<>{.limits = {.width = 2, .depth = 3, .branches = 2}, .calls = {.in_flight = 1}});
}

TEST_CASE("evolve, likewise") {
    check_each_stop(
        lkt::evolve<>{.limits = {.generations = 3, .islands = 2, .children = 2, .migration = 1},
                      .calls = {.in_flight = 1}});
}

TEST_CASE("what a limit cut short is done when the run goes on") {
    lkt::sample_n<> const five{.limits = {.samples = 5}};
    auto const tuned = [&](lkt::journal_memory& sink, thinker& llm, std::int64_t most) {
        fake_gpu gpu(by_words);
        auto journal = lkt::journal::over(sink);
        REQUIRE(journal.has_value());
        lkt::tune_options o;
        o.journal = &*journal;
        o.budget.model_calls = most;
        auto outcome = lkt::tuner{gpu, llm, five}.tune(twice_problem(), o);
        REQUIRE_MESSAGE(outcome.has_value(), to_string(outcome.error()));
        CHECK_FALSE(outcome->stopped_by.has_value());
        return std::move(*outcome);
    };
    lkt::journal_memory whole, cut;
    thinker undisturbed, first, second, third;
    auto const all = tuned(whole, undisturbed, 0);
    auto const some = tuned(cut, first, 3); // a result, of what there is
    CHECK(some.history.size() == 3);
    CHECK(first.calls == 3);
    auto const rest = tuned(cut, second, 0);
    CHECK(second.calls == 2);
    CHECK(rest.history.size() == all.history.size());
    CHECK(rest.usage.calls == 5);
    CHECK(rest.best.kernel == all.best.kernel);
    CHECK(tuned(cut, third, 0).history.size() == 5); // now it is over
    CHECK(third.calls == 0);
}

TEST_CASE("a number may be another one when a run goes on") {
    auto const deep = [](int depth) {
        return lkt::beam<>{.limits = {.width = 1, .depth = depth, .branches = 1},
                           .calls = {.in_flight = 1}};
    };
    auto const calls = [](auto strategy, lkt::journal_memory& sink, auto turns) {
        auto journal = lkt::journal::over(sink);
        REQUIRE(journal.has_value());
        lkt::tune_options o;
        o.journal = &*journal;
        fake_gpu gpu(by_words);
        lkt::scripted_model llm(std::vector<lkt::scripted_turn>(std::move(turns)));
        auto const outcome = lkt::tuner{gpu, llm, std::move(strategy)}.tune(twice_problem(), o);
        REQUIRE_MESSAGE(outcome.has_value(), to_string(outcome.error()));
        CHECK(outcome->improved());
        return llm.requests().size();
    };
    using turns = std::vector<lkt::scripted_turn>;
    turns const ever_faster{rewrite("speed 2"), rewrite("speed 3"), rewrite("speed 4")};
    lkt::error const gone{lkt::condition::unavailable, "x", "no such model", {}};
    lkt::journal_memory sink;
    CHECK(calls(deep(9), sink, turns{rewrite("speed 1.5"), gone}) == 2);
    // One level is over, and the second is the last one now.
    CHECK(calls(deep(2), sink, ever_faster) == 1);

    // Each round of it has the strategy's numbers.
    lkt::journal_memory another;
    lkt::repeated<lkt::beam<>> const rounds{.strategy = deep(1), .limits = {.rounds = 2}};
    CHECK(calls(rounds, another, ever_faster) == 2);
}
