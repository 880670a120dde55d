// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/advise.hpp>

#include <doctest/doctest.h>

#include <lkt/llm/schema.hpp>
#include <lkt/llm/scripted.hpp>

#include "../strategies/rewrites.hpp"

#include <string>

using namespace lkt_test;

namespace {

using scene = stage<lkt::tuning_state>;

std::string const usable = R"({"bottleneck": "B.", "fix": "F.", "why": "W."})";

struct terse {
    std::string system(lkt::brief const&) const { return "JUDGE"; }
    std::string task(lkt::brief const&, lkt::attempt_record const* last) const {
        return last != nullptr ? "AGAIN" : "FIRST";
    }
};
static_assert(lkt::judge_prompt_set<terse>);
static_assert(!lkt::judge_prompt_set<lkt::default_prompts>);

} // namespace

TEST_CASE("The judge's answer is the step, and is paid for") {
    scene c({usable});
    auto const end = lkt::advise(c.s, c.tools);
    REQUIRE(end.has_value());
    CHECK(*end == lkt::advised::fix);
    CHECK(c.s.step == "F.\nWhat it is for: B.\nWhy: W.");
    CHECK(c.s.usage.calls == 1);
    CHECK(c.s.history.empty());
    CHECK(c.s.attempts.empty());
}

TEST_CASE("A judge without a usable answer is silent, after three answers") {
    scene c({"no", R"({"bottleneck": "", "fix": "F.", "why": "W."})", "{}", usable});
    c.s.step = "of the round before";
    auto const end = lkt::advise(c.s, c.tools);
    REQUIRE(end.has_value());
    CHECK(*end == lkt::advised::silent);
    CHECK(c.s.step.empty());
    REQUIRE_FALSE(c.s.notes.empty());
    CHECK(c.s.notes.back().starts_with("the judge named no change: "));
    CHECK(c.s.usage.calls == 3);
    CHECK(c.llm.left() == 1);
}

TEST_CASE("An error leaves the state as it was") {
    lkt::error const busy{lkt::condition::transient, "x", "overloaded", {}};
    scene c({busy});
    c.s.step = "as it was";
    auto const end = lkt::advise(c.s, c.tools);
    REQUIRE(end.has_error());
    CHECK(end.error().message == "overloaded");
    CHECK(c.s.step == "as it was");
    CHECK(c.s.usage.calls == 0);
}

TEST_CASE("Other words, and what they are told of the last rewrite") {
    scene c({usable, R"({"bottleneck": "B.", "fix": "G.", "why": "W."})"});
    lkt::advise_fn<terse> const judge;
    CHECK(judge(c.s, c.tools).has_value());
    c.s.history.emplace_back().outcome = lkt::failure(lkt::no_code{"why"});
    CHECK(judge(c.s, c.tools).has_value());
    auto const requests = c.llm.requests();
    CHECK(requests[0].messages[0].text.find("JUDGE") == 0);
    CHECK(requests[0].messages[1].text.find("FIRST") == 0);
    CHECK(requests[1].messages[1].text.find("AGAIN") == 0);
}

TEST_CASE("A budget that is used up ends it before the call") {
    scene c({usable});
    lkt::problem_tests tests;
    lkt::exhaustive all;
    lkt::toolbox<fake_gpu, lkt::scripted_model> tools{c.gpu, c.llm, tests, all};
    tools.budget.model_calls = 2;
    c.s.usage.calls = 2;
    auto const end = lkt::advise(c.s, tools);
    REQUIRE(end.has_error());
    CHECK(end.error().kind == lkt::condition::exhausted);
    CHECK(c.llm.requests().empty());
}
