// SPDX-License-Identifier: BSL-1.0
// What a strategy with a list of steps needs to go on is in its State, and so in a journal.
#include <lkt/strategies/explicit_steps.hpp>

#include <doctest/doctest.h>

#include <lkt/store/journal.hpp>
#include <lkt/store/journal_memory.hpp>
#include <lkt/tuner/tuner.hpp>

#include "explicit_support.hpp"

#include <stop_token>
#include <string>
#include <vector>

using namespace lkt_test;

namespace {

using ids = std::vector<std::string>;
using strategy = lkt::explicit_steps<>;

} // namespace

TEST_CASE("A run that was stopped at any question goes on there and comes to the same end") {
    // The n-th question of a run is cut off, and another process goes on with its journal.
    auto const tuned = [](lkt::journal_memory& sink, int stop_at, std::vector<std::string>& asked) {
        std::stop_source stop;
        auto const cut_off = [&](auto answer) {
            return [&, answer](lkt::chat_request const& r) mutable -> lkt::result<std::string> {
                if (static_cast<int>(asked.size()) == stop_at) {
                    stop.request_stop();
                    return lkt::cancelled("thinking");
                }
                asked.push_back(step_of(r) + (is_gate(r) ? "?" : "!"));
                return answer(r);
            };
        };
        auto const unsure = [](lkt::chat_request const& r) -> lkt::result<std::string> {
            if (step_of(r) == "b") return std::string(step_model::no);
            return std::string(r.messages.size() < 4 ? "Perhaps." : step_model::yes);
        };
        auto const rewrite = [](lkt::chat_request const& r) -> lkt::result<std::string> {
            return reply_with(changed_text(r.messages.size() < 4 ? "wrong"
                                           : step_of(r) == "a"   ? "speed 2"
                                                                 : "speed 4"));
        };
        fake_gpu gpu(by_speed);
        step_model llm(cut_off(rewrite), cut_off(unsure));
        auto journal = lkt::journal::over(sink);
        REQUIRE(journal.has_value());
        lkt::tune_options o;
        o.journal = &*journal;
        o.stop = stop.get_token();
        strategy const s{.steps = {{plain_step("a"), plain_step("b"), plain_step("c", {"a"})}}};
        auto outcome = lkt::tuner{gpu, llm, s}.tune(twice_problem(), o);
        REQUIRE(outcome.has_value());
        return *outcome;
    };
    lkt::journal_memory undisturbed;
    ids asked;
    auto const whole = tuned(undisturbed, -1, asked);
    CHECK(whole.terminal == "tuned");
    REQUIRE(asked == ids{"a?", "a?", "a!", "a!", "b?", "c?", "c?", "c!", "c!"});
    for (int stop_at = 0; stop_at < static_cast<int>(asked.size()); ++stop_at) {
        CAPTURE(stop_at);
        lkt::journal_memory sink;
        ids first, second;
        CHECK(tuned(sink, stop_at, first).stopped_by.has_value());
        auto const ended = tuned(sink, -1, second);
        CHECK(ended.terminal == whole.terminal);
        CHECK(ended.best.kernel == whole.best.kernel);
        CHECK(ended.notes == whole.notes);
        CHECK(ended.usage.calls == whole.usage.calls);
        first.insert(first.end(), second.begin(), second.end());
        CHECK(first == asked); // nothing is asked twice
    }
}
