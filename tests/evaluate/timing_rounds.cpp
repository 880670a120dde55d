// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/timing_rounds.hpp>

#include <doctest/doctest.h>

#include "support.hpp"

#include <vector>

using namespace lkt_test;

namespace {

behaviour taking(double milliseconds) {
    behaviour b;
    b.time = lkt::seconds(milliseconds * 1e-3);
    return b;
}

} // namespace

TEST_CASE("trials are measured in turns, and the faster one beats the other") {
    evaluation_scene c([](auto const&, lkt::configuration const& config) {
        return taking(integer(config, "BLOCK") == 16 ? 0.5 : 1);
    });
    auto fast = c.trial(16), slow = c.trial(64);
    REQUIRE(c.in.timing.screen(fast, {}).has_value());
    REQUIRE(c.in.timing.screen(slow, {}).has_value());
    CHECK(fast.time.samples.size() == 3);
    std::vector<int> rounds;
    lkt::timing_rounds::rounds_sink const note = [&](int done, int of) {
        rounds.push_back(done);
        CHECK(of == c.in.timing.rounds());
    };
    lkt::trial* both[] = {&slow, &fast};
    REQUIRE(c.in.timing.side_by_side(both, note).has_value());
    CHECK(rounds == std::vector{1, 2, 3, 4, 5, 6, 7});
    CHECK(fast.time.samples.size() >= 6);
    CHECK(c.in.timing.beats(fast, slow, note).value() == lkt::comparison::faster);
    CHECK(c.in.timing.decide(slow, fast, note).value() == lkt::comparison::slower);
    // On a simulated device nothing is far enough apart.
    CHECK_FALSE(c.in.timing.far_apart(fast.time, slow.time));
}

TEST_CASE("a trial that is wrong when it is timed has failed, and is not launched again") {
    behaviour now;
    evaluation_scene c([&](auto const&, auto const&) { return now; });
    now.wrong_when_timed = true;
    auto t = c.trial();
    REQUIRE(c.in.timing.time(t, 20).has_value());
    REQUIRE(t.failed);
    c.gpu.log.clear();
    REQUIRE(c.in.timing.time(t, 20).has_value());
    CHECK(c.gpu.log.empty());
}

TEST_CASE("a round has as many launches as can be afforded, and six in all at least") {
    evaluation_scene c([](auto const&, auto const&) { return behaviour{}; });
    CHECK(c.in.timing.launches_a_round(lkt::seconds(1e-3)) == 3);
    CHECK(c.in.timing.launches_a_round(lkt::seconds(1000)) == 1);
}
