// SPDX-License-Identifier: BSL-1.0
// Whole runs with a model whose context is shorter than what there is to tell.
#include <lkt/tuner/tuner.hpp>

#include <doctest/doctest.h>

#include <lkt/llm/estimate_tokens.hpp>
#include <lkt/strategies/autonomous.hpp>

#include "../support/narrow_model.hpp"
#include "../support/planning.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace lkt_test;

namespace {

/// Ten steps that are none, and then no others: the last question is by far the longest.
std::vector<lkt::scripted_turn> ten_steps() {
    std::string plan;
    std::vector<lkt::scripted_turn> turns{""};
    for (int k = 0; k < 10; ++k) {
        plan += (k > 0 ? ", \"step " : "\"step ") + std::to_string(k) + " " + padding(300) + "\"";
        turns.emplace_back(is_invalid);
    }
    turns[0] = "{\"steps\": [" + plan + "]}";
    turns.emplace_back(no_replan);
    return turns;
}

auto run_with(narrow_model& llm, std::int64_t context_tokens = 0) {
    fake_gpu gpu(by_remark);
    auto outcome = lkt::tuner{gpu, llm, lkt::autonomous<>{}}.tune(
        twice_problem(), {.context_tokens = context_tokens});
    REQUIRE_MESSAGE(outcome.has_value(), to_string(outcome.error()));
    CHECK_FALSE(outcome->stopped_by.has_value());
    CHECK(outcome->terminal == "gave_up");
    CHECK(llm.script.left() == 0);
    return *outcome;
}

} // namespace

TEST_CASE("A run goes on where a request is too long, and says that it was shortened") {
    constexpr std::int64_t wide = 1'000'000;
    narrow_model all(wide, ten_steps());
    CHECK_FALSE(any_says(run_with(all).notes, "too long for the model"));
    std::int64_t longest = 0;
    for (auto const& request : all.script.requests())
        longest = std::max(longest, lkt::estimate_tokens(request.messages));

    narrow_model narrow(longest - 1, ten_steps());
    CHECK(any_says(run_with(narrow).notes, "too long for the model"));
    CHECK(narrow.refused.size() == 1);

    // Said beforehand, nobody has to refuse it.
    narrow_model known(wide, ten_steps());
    CHECK(any_says(run_with(known, longest).notes, "too long for the model"));
    CHECK(lkt::estimate_tokens(known.taken(11)) < longest);
}

TEST_CASE("A model that takes nothing ends the run with its refusal") {
    narrow_model none(10, {});
    fake_gpu gpu(by_remark);
    auto const outcome = lkt::tuner{gpu, none, lkt::autonomous<>{}}.tune(twice_problem());
    REQUIRE(outcome.has_value());
    REQUIRE(outcome->stopped_by.has_value());
    CHECK(outcome->stopped_by->code == "lkt.http.context-length");
    CHECK(says(outcome->stopped_by->message, "nothing can be left out"));
    CHECK(none.refused.size() == 1);
}
