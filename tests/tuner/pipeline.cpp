// SPDX-License-Identifier: BSL-1.0
#include <lkt/tuner/pipeline.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/mermaid.hpp>
#include <lkt/strategies/one_prompt.hpp>
#include <lkt/strategies/sweep.hpp>

#include <string>
#include <type_traits>

using pipeline = lkt::tuning_pipeline<lkt::one_prompt<>>;
static_assert(std::is_same_v<lkt::outcome_of<pipeline>, lkt::outcome_of<lkt::one_prompt<>>>);

TEST_CASE("The pipeline leads from the tests to the strategy, whose terminals are its own") {
    std::string const picture = lkt::to_mermaid<pipeline>();
    auto const at = [&](char const* name) { return picture.find(name); };
    REQUIRE(at("make_tests") != std::string::npos);
    REQUIRE(at("time_baseline") != std::string::npos);
    REQUIRE(at("one_prompt") != std::string::npos);
    CHECK(at("make_tests") < at("run_reference"));
    CHECK(at("run_reference") < at("time_baseline"));
    CHECK(at("time_baseline") < at("one_prompt"));
    CHECK(at("one_prompt") < at("confirm"));
    CHECK(at("gave_up") != std::string::npos);
    CHECK(at("declare_problem") < at("make_tests"));
    // Without a model there is nobody to ask.
    std::string const alone = lkt::to_mermaid<lkt::tuning_pipeline<lkt::sweep<>, false>>();
    CHECK(alone.find("declare") == std::string::npos);
    CHECK(alone.find("describe") == std::string::npos);
}
