// SPDX-License-Identifier: BSL-1.0
#include <lkt/strategies/attack.hpp>

#include <lkt/core/outcome.hpp>
#include <lkt/graph/run.hpp>
#include <lkt/llm/scripted.hpp>

#include <doctest/doctest.h>

#include "../support/attack_scene.hpp"

#include <variant>

using namespace lkt_test;

namespace {

using at_once = lkt::attack<lkt::backoff{.first_ms = 0}>;

lkt::outcome_of<at_once> ended(lkt::attack_state& s, lkt::scripted_model model) {
    fake_judge judge;
    lkt::attack_tools tools{model, judge};
    return lkt::run<at_once>(s, tools).value();
}

} // namespace

TEST_CASE(
    "Replies are asked for until the rounds are used up, and later ones know earlier verdicts") {
    auto s = attack_scene();
    s.limits.rounds = 3;
    lkt::scripted_model model(
        {attack_block("races", "wrong"), "nothing", attack_block("no", "honest")});
    CHECK(std::holds_alternative<lkt::withstood>(ended(s, model)));
    CHECK(s.past.size() == 2);
    CHECK(s.past[1].round == 3);
    CHECK(model.requests()[2].messages[0].text.find("races -> rejected as race") !=
          std::string::npos);
}

TEST_CASE("A kernel that is accepted and proven wrong is a defect, and the attack goes on") {
    auto s = attack_scene();
    s.limits.rounds = 2;
    CHECK(std::holds_alternative<lkt::deceived>(
        ended(s, {attack_block("lies", "deceives"), attack_block("races", "wrong")})));
    CHECK(s.past.size() == 2);
}

TEST_CASE("What is pending is judged first, and the limit of attempts ends the attack") {
    auto s = attack_scene();
    s.pending = {{"__global__ honest", "", "", ""}};
    s.limits.attempts = 2;
    CHECK(std::holds_alternative<lkt::withstood>(
        ended(s, {attack_block("a", "wrong") + attack_block("b", "wrong too"), "more"})));
    CHECK(s.past.size() == 2);
    CHECK(s.pending.size() == 1);
}
