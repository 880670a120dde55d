// SPDX-License-Identifier: BSL-1.0
// How often a model is asked for the same thing by default; docs/strategies.md has the table.
#include <lkt/tuner/tuner.hpp>

#include <doctest/doctest.h>

#include <lkt/llm/ask.hpp>
#include <lkt/llm/scripted.hpp>
#include <lkt/strategies/autonomous.hpp>
#include <lkt/strategies/explicit_steps.hpp>
#include <lkt/strategies/one_prompt.hpp>

#include "../support/planning.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

using namespace lkt_test;

namespace {

struct yes_or_no {
    bool yes = false;
    using state_fields = lkt::fields<&yes_or_no::yes>;
};

/// Calls of a whole run.
template <class Strategy>
std::size_t calls(std::vector<lkt::scripted_turn> turns, Strategy strategy = {}) {
    fake_gpu gpu(by_remark);
    lkt::scripted_model llm(std::move(turns));
    auto const outcome = lkt::tuner{gpu, llm, std::move(strategy)}.tune(twice_problem());
    REQUIRE_MESSAGE(outcome.has_value(), to_string(outcome.error()));
    CHECK_FALSE(outcome->stopped_by.has_value());
    return llm.requests().size();
}

std::vector<lkt::scripted_turn> then_nonsense(std::vector<lkt::scripted_turn> turns) {
    turns.insert(turns.end(), 30, nonsense);
    return turns;
}

} // namespace

TEST_CASE("A kernel is asked for three times, in all or for a step") {
    CHECK(calls<lkt::one_prompt<>>(then_nonsense({})) == 3);
    lkt::explicit_steps<> one_step;
    one_step.steps.emplace(1);
    one_step.steps->front().id = "a";
    one_step.steps->front().prompt = "Unroll.";
    // Three answers that decide nothing, after which the step runs, and three kernels.
    CHECK(calls(then_nonsense({}), one_step) == 3 + 3);
}

TEST_CASE("A decision is asked for three times") {
    CHECK(calls<lkt::autonomous<>>(then_nonsense({})) == 3);
    // A plan; three answers on validity, three kernels, three on another plan.
    CHECK(calls<lkt::autonomous<>>(then_nonsense({steps({"a"})})) == 1 + 3 + 3 + 3);
}

TEST_CASE("What a run leaves to its options is the same") {
    CHECK(lkt::step_limits{}.attempts == 3);
    CHECK(lkt::tune_options{}.declaration.attempts == 3);
    CHECK(lkt::tune_options{}.declaration.test_attempts == 10); // counted in nodes/declare_tests
}

TEST_CASE("An answer in JSON is asked for three times where nobody counts") {
    lkt::scripted_model llm(std::vector<lkt::scripted_turn>(9, nonsense));
    lkt::chat_request request;
    request.messages = {{lkt::role::user, "Yes?"}};
    CHECK(lkt::ask<yes_or_no>(llm, request).has_error());
    CHECK(llm.requests().size() == 3);
}

TEST_CASE("An outage uses up no attempt") {
    lkt::error const busy{lkt::condition::transient, "x", "overloaded", {}};
    using patient =
        lkt::one_prompt<lkt::one_prompt_knobs{}, lkt::default_prompts, lkt::backoff{.first_ms = 0}>;
    // Two calls that fail before each of the replies.
    CHECK(calls<patient>({busy, busy, nonsense, busy, busy, nonsense, busy, busy, nonsense}) == 9);
}
