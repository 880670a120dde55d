// SPDX-License-Identifier: BSL-1.0
#include <lkt/report/attack_jsonl.hpp>

#include <doctest/doctest.h>

#include "../support/attack_scene.hpp"

#include <string>

using namespace lkt_test;

namespace {

lkt::attack_record attempt(std::string claim, std::string kernel, lkt::attack_end end) {
    lkt::attack_record r{"twice", 2, "m", {std::move(kernel), std::move(claim), "N=3", "x\n"}, {}};
    r.judged = {end, lkt::verdict::accepted, "why", "shown", ~std::uint64_t{0}, lkt::seconds(1.5)};
    if (end == lkt::attack_end::rejected) r.judged.verdict = lkt::verdict::race;
    return r;
}

} // namespace

TEST_CASE("Lines read back, a last one that is cut off does not count, a foreign one is named") {
    auto const line = attack_line(attempt("a \u2192 \x01", "k", lkt::attack_end::unproven));
    auto const reply = attack_line(lkt::attack_reply{"twice", 2, "m", "text"});
    auto const read = lkt::read_attacks(reply + "\n" + line + line.substr(0, 20));
    REQUIRE(read.has_value());
    REQUIRE(read->replies.size() == 1);
    REQUIRE(read->attempts.size() == 1);
    CHECK(attack_line(read->attempts[0]) == line);
    CHECK(attack_line(read->replies[0]) == reply);
    for (char const* foreign :
         {"[]\n", "{\"problem\": 1}\n", "{\"problem\": \"p\", \"round\": 1}\n", "x\n"}) {
        auto const bad = lkt::read_attacks(line + foreign, "r.jsonl");
        REQUIRE_FALSE(bad.has_value());
        CHECK(bad.error().message.starts_with("r.jsonl: line 2 "));
    }
}

TEST_CASE("A record is gone on with where it ends") {
    lkt::attack_history h;
    h.replies = {{"twice", 1, "m", attack_block("old", "old")},
                 {"twice", 2, "m", attack_block("a", "one") + attack_block("b", "two")},
                 {"other", 5, "m", attack_block("c", "three")}};
    auto const both = lkt::attack_proposals(h.replies[1].text, lkt::language::cuda, 9);
    h.attempts = {attempt("", "", lkt::attack_end::rejected)};
    h.attempts[0].proposal = both[0];
    auto s = attack_scene();
    h.resume(s);
    CHECK(s.round == 2);
    CHECK(s.past.size() == 1);
    CHECK(s.pending == std::vector{both[1]});
    s.problem_name = "new";
    h.resume(s);
    CHECK((s.round == 0 && s.pending.empty() && s.past.size() == 1));
}

TEST_CASE("The table counts how attempts ended, and names what was accepted") {
    std::vector const all = {attempt("one", "a", lkt::attack_end::rejected),
                             attempt("two", "b", lkt::attack_end::proven),
                             attempt("three", "c", lkt::attack_end::unproven),
                             attempt("four", "d", lkt::attack_end::doubted)};
    CHECK(lkt::attack_report(all) ==
          "problem       attempts   rejected    doubted     proven   unproven\n"
          "twice                4          1          1          1          1\n"
          "all                  4          1          1          1          1\n"
          "rejected as race 1\n"
          "proven: twice, round 2, seed 18446744073709551615: two\n    shown\n"
          "unproven: twice, round 2, seed 18446744073709551615: three\n    shown\n"
          "doubted: twice, round 2, seed 18446744073709551615: four\n    shown\n");
    CHECK(lkt::attack_report({}).find("all") != std::string::npos);
}
