// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/timer.hpp>

#include <lkt/evaluate/finals.hpp>

#include <doctest/doctest.h>

#include "support.hpp"

#include <algorithm>
#include <vector>

using namespace lkt_test;

namespace {

/// Times as they are written down, without a launch: the wider the block, the faster.
struct scripted_times {
    std::vector<lkt::timed_series> asked{};
    lkt::result<void>
    take(lkt::evaluation_setup const&, lkt::trial& t, lkt::timed_series const& s) {
        asked.push_back(s);
        bool const original = t.kernel->source.text == original_text;
        auto const width = static_cast<double>(integer(t.config, "BLOCK"));
        lkt::seconds const one(original ? 1e-3 : 0.8e-3 - 1e-6 * width);
        for (int k = 0; k < s.launches; ++k) t.time.samples.push_back(one * (1 + 1e-4 * (k % 3)));
        return {};
    }
};
struct returns_times {
    lkt::result<lkt::measurement>
    take(lkt::evaluation_setup const&, lkt::trial&, lkt::timed_series const&);
};

} // namespace

TEST_CASE("the back end's times are added, with how they were taken, or what went wrong") {
    behaviour now;
    evaluation_scene c([&](auto const&, auto const&) { return now; });
    auto t = c.trial();
    auto const setup = c.setup();
    lkt::backend_timer const timer;
    REQUIRE(timer.take(setup, t, {.launches = 4, .warmups = 1, .pattern = 7}).has_value());
    REQUIRE(timer.take(setup, t, {.launches = 2, .warmups = 1, .pattern = 8}).has_value());
    CHECK(t.time.samples.size() == 6);
    CHECK(c.gpu.timed.back().poison_seed == 8);
    CHECK_FALSE(t.failed);
    now.wrong_when_timed = true;
    auto wrong = c.trial();
    REQUIRE(timer.take(setup, wrong, {.launches = 4, .warmups = 1}).has_value());
    CHECK(wrong.failed);
    CHECK(wrong.time.empty());
}

TEST_CASE("a timer of the user's takes the place of the back end's") {
    CHECK(lkt::trial_timer<scripted_times>);
    CHECK(lkt::trial_timer<lkt::backend_timer const>);
    CHECK_FALSE(lkt::trial_timer<returns_times>);
    evaluation_scene c([](auto const&, auto const&) { return behaviour{}; }); // all as fast
    c.kernel.source.text = changed_text("candidate");
    scripted_times mine;
    lkt::evaluation in(c.setup({.timer = lkt::timer_ref(mine)}));
    c.gpu.log.clear();
    auto const space = lkt::space_of(c.kernel, c.s.task.size, in.setup.options);
    std::vector<lkt::searched_configurations> one;
    one.push_back(
        lkt::search_configurations(in, c.kernel, c.declared, std::get<lkt::search_space>(space))
            .value());
    auto const results = lkt::hold_finals(in, std::move(one), {.best = c.s.best}).value();
    REQUIRE(results.front().winner);
    CHECK(integer(results.front().winner->config, "BLOCK") == 64);
    CHECK(c.gpu.count("time ") == 0);
    CHECK(mine.asked.size() > 3);
    // Each series has a pattern of its own.
    std::vector<std::uint64_t> patterns;
    for (auto const& s : mine.asked) patterns.push_back(s.pattern);
    std::sort(patterns.begin(), patterns.end());
    CHECK(std::adjacent_find(patterns.begin(), patterns.end()) == patterns.end());
}
