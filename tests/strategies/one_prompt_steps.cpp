// SPDX-License-Identifier: BSL-1.0
// As the steps of a plan are applied: a kernel that is not faster ends it, so does one that comes
// back as it was, and parameters are put right in a question of their own.
#include <lkt/strategies/one_prompt.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/run.hpp>

#include "../support/planning.hpp"

#include <vector>

using namespace lkt_test;

namespace {
constexpr lkt::one_prompt_knobs with(bool fix_parameters, bool retry_slower = false) {
    return {
        .retry_slower = retry_slower, .fix_parameters = fix_parameters, .detect_unchanged = true};
}
using plain = lkt::one_prompt<with(true)>;
using unfixed = lkt::one_prompt<with(false)>;
static_assert(decltype(lkt::one_prompt<>::graph)::size == 4);
static_assert(decltype(unfixed::graph)::size == 5);
static_assert(decltype(plain::graph)::size == 6);

std::string const shadowed =
    reply_with("constexpr int TILE = 16;\n" + original_text,
               R"j({"parameters": {"TILE": [16]}, "launch": {"grid": ["N"], "block": ["TILE"]}})j");
} // namespace

TEST_CASE("The step is asked for, and a correct kernel ends it") {
    planning_scene c({code("wrong"), code("slow"), code("quick")});
    c.s.step = "Step 1: unroll";
    CHECK(ended_in<lkt::unchanged>(lkt::run<plain>(c.s, c.tools)));
    CHECK(c.llm.left() == 1);
    CHECK(says(c.asked(0)[1].text, "Step 1: unroll"));
    CHECK(c.s.history[0].step == "Step 1: unroll");

    using patient = lkt::one_prompt<with(true, true)>;
    planning_scene p({code("wrong"), code("slow"), code("quick")});
    CHECK(ended_in<lkt::tuned>(lkt::run<patient>(p.s, p.tools)));
}

TEST_CASE("A kernel that comes back as it was ends the step without a launch") {
    planning_scene c({reply_with(original_text), code("quick")});
    auto const log = c.gpu.log.size();
    CHECK(ended_in<lkt::unchanged>(lkt::run<plain>(c.s, c.tools)));
    CHECK(c.gpu.log.size() == log);
    CHECK(c.llm.left() == 1);
}

TEST_CASE("Parameters that are put right cost no attempt; without the knob they cost one") {
    std::string const good =
        R"j({"kernel": "// quick TILE\n__global__ void twice(float const* x, float* y, int n) { }",
        "parameters": [{"name": "TILE", "values": ["16"]}]})j";
    std::string const launched =
        R"j({"kernel": "// quick\n__global__ void twice(float const* x, float* y, int n) { y[0] = TILE; }", "parameters": [{"name": "TILE", "values": ["16"]}]})j";
    planning_scene c({shadowed, launched});
    CHECK(ended_in<lkt::tuned>(lkt::run<plain>(c.s, c.tools)));
    CHECK(c.s.history.size() == 1);

    planning_scene without({shadowed, shadowed, shadowed, good});
    CHECK(ended_in<lkt::gave_up>(lkt::run<unfixed>(without.s, without.tools)));
    CHECK(without.llm.left() == 1);
}

TEST_CASE("Replies that have to be put right and cannot are bounded") {
    planning_scene c(std::vector<lkt::scripted_turn>{
        shadowed, nonsense, shadowed, nonsense, shadowed, nonsense, shadowed});
    CHECK(ended_in<lkt::gave_up>(lkt::run<plain>(c.s, c.tools)));
    CHECK(c.llm.left() == 1);
    CHECK(c.s.history.size() == 3);
    CHECK(c.s.attempts.size() == 3);
}
