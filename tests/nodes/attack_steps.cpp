// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/attack_steps.hpp>

#include <lkt/graph/dsl.hpp>
#include <lkt/graph/run.hpp>
#include <lkt/llm/scripted.hpp>

#include <doctest/doctest.h>

#include "../support/attack_scene.hpp"

#include <string>
#include <vector>

using namespace lkt_test;

namespace {

using tools_type = lkt::attack_tools<lkt::scripted_model, fake_judge>;

} // namespace

TEST_CASE("A reply's kernels come with their claims and witnesses") {
    std::string const reply = "Some words.\n"
                              "**WRONG:** first\n"
                              "SIZE: `N=77`\n"
                              "```cuda\n__global__ void twice() { one(); }\n```\n"
                              "```python\ndef generate(sizes, rng):\n    return {}\n```\n"
                              "wrong: second\n"
                              "```cpp\n__global__ void twice() { two(); }\n```\n"
                              "WRONG: of no kernel\n```text\nnothing\n```\n"
                              "- WRONG: third\n"
                              "```\n__global__ void twice() { three(); }\n```\n";
    auto const all = lkt::attack_proposals(reply, lkt::language::cuda, 9);
    REQUIRE(all.size() == 3);
    CHECK(all[0].claim == "first");
    CHECK(all[0].size == "N=77");
    CHECK(all[0].script.starts_with("def generate"));
    CHECK(all[1] == lkt::attack_proposal{"__global__ void twice() { two(); }\n", "second", "", ""});
    CHECK(all[2].claim == "third");
    CHECK(lkt::attack_proposals(reply, lkt::language::cuda, 2).size() == 2);
    std::string fault;
    CHECK(lkt::attack_proposals(reply, lkt::language::wgsl, 9, &fault).empty());
    CHECK(fault.find("@compute") != std::string::npos);
}

TEST_CASE("A request says what is fair, how the judge works, and every verdict so far") {
    auto s = attack_scene();
    s.task.arguments[0].min = 0, s.task.arguments[0].max = 2;
    s.task.properties.propagates = true;
    lkt::attack_record r{"twice", 1, "", {"KERNEL ONE", "is slow", "", ""}, {}};
    r.judged.verdict = lkt::verdict::race;
    r.judged.reason = "threads race";
    s.past.push_back(r);
    r.judged.end = lkt::attack_end::unproven;
    r.judged.proof = "there is no witness";
    s.past.push_back(r);
    r.problem = "other", r.proposal = {"KERNEL TWO", "lies", "", ""};
    s.past.push_back(r);
    auto const text = lkt::attack_prompt(s);
    for (char const* words : {"__global__ void twice",
                              "fair values: from 0.0 to 2.0",
                              "timed: N=64",
                              "other sizes are not fair",
                              "What the judge does.",
                              "NaN and infinity are judged",
                              "is slow -> rejected as race: threads race",
                              "is slow -> accepted, but not proven wrong: there is no witness",
                              "KERNEL ONE",
                              "other: lies",
                              "up to 4 kernels"}) {
        CAPTURE(words);
        CHECK(text.find(words) != text.npos);
    }
    CHECK(text.find("KERNEL TWO") == text.npos); // another problem's
    CHECK(lkt::attack_prompt(s) == text);
    CHECK(lkt::attack_knowledge().find("configurations") != std::string::npos);
}

TEST_CASE("ask_attacks takes kernels from a reply, or says why there are none") {
    fake_judge judge;
    lkt::scripted_model model({"no kernel",
                               attack_block("one", "a") + attack_block("two", "b"),
                               lkt::error{lkt::condition::transient, "lkt.test.busy", "busy", {}}});
    tools_type tools{model, judge};
    std::vector<std::string> told;
    tools.on_reply = [&](lkt::attack_reply const& r) -> lkt::result<void> {
        told.push_back(std::to_string(r.round) + r.text.substr(0, 2));
        return {};
    };
    auto s = attack_scene();
    CHECK(lkt::ask_attacks(s, tools).value() == lkt::attacks_asked::none);
    CHECK_FALSE(s.fault.empty());
    CHECK(lkt::ask_attacks(s, tools).value() == lkt::attacks_asked::some);
    CHECK(model.requests()[1].messages[0].text.find("of no use") != std::string::npos);
    CHECK(s.fault.empty());
    CHECK(s.pending.size() == 2);
    CHECK(s.round == 2);
    CHECK(told == std::vector<std::string>{"1no", "2WR"});
    CHECK_FALSE(lkt::ask_attacks(s, tools).has_value());
    CHECK((s.pending.size() == 2 && s.round == 2)); // as it was
    s.judged = 1000;
    CHECK(lkt::ask_attacks(s, tools).value() == lkt::attacks_asked::enough);
}

TEST_CASE("judge_attacks judges each kernel once, also when it is entered again") {
    fake_judge judge;
    lkt::scripted_model model({""});
    tools_type tools{model, judge};
    std::vector<lkt::attack_end> ends;
    tools.on_attempt = [&](lkt::attack_record const& r) -> lkt::result<void> {
        ends.push_back(r.judged.end);
        judge.fails = ends.size() == 2;
        return {};
    };
    auto s = attack_scene();
    s.limits.attempts = 3;
    for (char const* text : {"wrong", "honest", "deceives", "more"})
        s.pending.push_back({text, "", "", ""});
    CHECK_FALSE(lkt::judge_attacks(s, tools).has_value());
    CHECK(s.past.size() == 2);
    CHECK(lkt::count_attacks(s) == lkt::attacks_counted::none_proven);
    judge.fails = false;
    CHECK(lkt::judge_attacks(s, tools).has_value());
    CHECK(ends == std::vector{lkt::attack_end::rejected,
                              lkt::attack_end::unproven,
                              lkt::attack_end::proven});
    CHECK(s.pending.size() == 1); // beyond the limit
    CHECK(lkt::count_attacks(s) == lkt::attacks_counted::some_proven);
    CHECK(to_string(lkt::attack_end::unproven) == "unproven");
}
