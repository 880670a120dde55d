// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/detect_unchanged.hpp>

#include <doctest/doctest.h>

#include "../support/planning.hpp"

using namespace lkt_test;

TEST_CASE("A kernel that comes back as it was is no improvement, and nothing is compiled") {
    planning_scene c({});
    c.s.proposal = c.s.best.kernel;
    c.s.proposal.description = "faster now";
    c.s.proposal.source.text += "// and so it is\n";
    c.s.step = "a step";
    auto const log = c.gpu.log.size();
    CHECK(lkt::detect_unchanged(c.s) == lkt::proposal_change::same);
    CHECK(c.gpu.log.size() == log);
    REQUIRE(c.s.history.size() == 1);
    CHECK(c.s.history[0].step == "a step");
    CHECK(std::holds_alternative<lkt::no_improvement>(c.s.history[0].outcome));
    CHECK(c.s.attempts.size() == 1);
}

TEST_CASE("Another text, launch or parameter is another kernel") {
    planning_scene c({});
    auto const changed = [&](auto change) {
        c.s.proposal = c.s.best.kernel;
        change(c.s.proposal);
        return lkt::detect_unchanged(c.s) == lkt::proposal_change::changed && c.s.history.empty() &&
               c.s.attempts.empty();
    };
    CHECK(changed([](lkt::candidate& k) { k.source.text += "struct more;"; }));
    CHECK(changed([](lkt::candidate& k) { k.launch.block[0] = 64; }));
    CHECK(changed([](lkt::candidate& k) { k.parameters.push_back({"P", {std::int64_t{1}}}); }));
    CHECK(changed([](lkt::candidate& k) { k.restrictions.push_back(1); }));
}

TEST_CASE("A kernel whose configurations nobody has tried is to be judged, once") {
    planning_scene c({}, tunable_problem());
    c.s.proposal = c.s.best.kernel;
    CHECK(lkt::detect_unchanged(c.s) == lkt::proposal_change::changed);
    c.s.history.emplace_back().proposal = c.s.proposal;
    c.s.history.back().configurations.resize(3);
    c.s.history.back().outcome = lkt::no_improvement{};
    CHECK(lkt::detect_unchanged(c.s) == lkt::proposal_change::same);
}
