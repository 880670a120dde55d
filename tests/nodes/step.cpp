// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/step.hpp>

#include <doctest/doctest.h>

TEST_CASE("A step begins without attempts, and keeps the history") {
    lkt::tuning_state s;
    s.attempts.resize(2);
    s.history.resize(3);
    lkt::begin_step(s);
    CHECK(s.attempts.empty());
    CHECK(s.history.size() == 3);
}

TEST_CASE("The kernel as it stands is proposed with its parameters") {
    lkt::tuning_state s;
    s.best.kernel.source.text = "kernel";
    s.best.kernel.parameters = {{"BLOCK", {std::int64_t{8}}}};
    s.best.kernel.description = "a rewrite";
    lkt::propose_as_is(s);
    CHECK(s.proposal.source.text == "kernel");
    CHECK(s.proposal.parameters.size() == 1);
    CHECK(s.proposal.description != "a rewrite");
}

TEST_CASE("Looking back sees an improvement anywhere in the history") {
    lkt::tuning_state s;
    s.history.resize(2);
    s.history[0].outcome = lkt::failure(lkt::no_code{});
    CHECK(lkt::look_back_unchanged(s) == lkt::since_start::same);
    s.history[0].outcome = lkt::improvement{};
    CHECK(lkt::look_back_unchanged(s) == lkt::since_start::improved);
    CHECK(lkt::look_back_gave_up(s) == lkt::since_start::improved);
}
