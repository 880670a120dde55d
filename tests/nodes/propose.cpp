// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/propose.hpp>

#include <doctest/doctest.h>

#include <lkt/llm/scripted.hpp>

#include "../support/prepared_state.hpp"

using namespace lkt_test;

namespace {

fake_gpu same_for_all() {
    return fake_gpu([](std::string const&, lkt::configuration const&) { return behaviour{}; });
}

lkt::chat_reply reply(std::string text) {
    lkt::chat_reply r;
    r.text = std::move(text);
    r.model = "m1";
    r.usage = {100, 20};
    return r;
}

struct shouting : lkt::default_prompts {
    std::string system(lkt::brief const&) const { return "FASTER"; }
};
/// Other words in the same places.
struct brief_words : lkt::default_prompts {
    brief_words() { texts.system = "Speed up ${language}."; }
};

} // namespace

TEST_CASE("A reply becomes the proposal, with an open record of it") {
    auto gpu = same_for_all();
    lkt::scripted_model llm{reply(reply_with(variant_text("new"), R"({"description": "idea"})"))};
    bare_tools tools{gpu, llm};
    auto s = prepared_state(twice_problem(), tools);
    auto const outcome = lkt::propose(s, tools);
    REQUIRE(outcome.has_value());
    CHECK(*outcome == lkt::answer::code);
    CHECK(s.proposal.source.text == variant_text("new"));
    CHECK(s.proposal.launch == s.task.launch);
    REQUIRE(s.history.size() == 1);
    CHECK(std::holds_alternative<lkt::not_evaluated>(s.history[0].outcome));
    CHECK(s.history[0].model == "m1");
    CHECK(s.history[0].proposal.description == "idea");
    CHECK(s.attempts.empty());
    CHECK(s.usage.calls == 1);
    CHECK(s.usage.tokens == lkt::token_usage{100, 20});
    CHECK(s.usage.models == std::vector<lkt::used_model>{{"m1", "", 1, {100, 20}}});
}

TEST_CASE("A reply of no use is an attempt, and the next request holds it with the reason") {
    auto gpu = same_for_all();
    lkt::scripted_model llm{reply("I would rather not."), reply(reply_with(variant_text("ok")))};
    bare_tools tools{gpu, llm};
    auto s = prepared_state(twice_problem(), tools);
    CHECK(lkt::propose(s, tools).value() == lkt::answer::none);
    REQUIRE(s.attempts.size() == 1);
    REQUIRE(s.history.size() == 1);
    CHECK(std::holds_alternative<lkt::failure>(s.history[0].outcome));
    CHECK(lkt::propose(s, tools).value() == lkt::answer::code);
    auto const requests = llm.requests();
    REQUIRE(requests.size() == 2);
    CHECK(requests[0].messages.size() == 2);
    REQUIRE(requests[1].messages.size() == 4);
    CHECK(requests[1].messages[2].text == "I would rather not.");
    CHECK(requests[1].messages[3].text.find("no fenced code block") != std::string::npos);
    CHECK(s.usage.calls == 2);
}

TEST_CASE("A failure of the model leaves the state as it was") {
    auto gpu = same_for_all();
    lkt::scripted_model llm{lkt::error{lkt::condition::transient, "x", "too many requests", {}}};
    bare_tools tools{gpu, llm};
    auto s = prepared_state(twice_problem(), tools);
    auto const outcome = lkt::propose(s, tools);
    REQUIRE(outcome.has_error());
    CHECK(outcome.error().kind == lkt::condition::transient);
    CHECK(s.history.empty());
    CHECK(s.usage.calls == 0);
}

TEST_CASE("A conversation that is too long for the model loses its older attempts, once") {
    auto gpu = same_for_all();
    lkt::error const too_long{
        lkt::condition::rejected, "lkt.http.context-length", "8192 tokens at most", {}};
    auto const other = lkt::error{lkt::condition::rejected, "lkt.http.bad-request", "no", {}};
    lkt::scripted_model llm{reply("first"),
                            too_long, // one attempt: nothing to leave out
                            reply("second"),
                            other,
                            too_long,
                            reply(reply_with(variant_text("ok"))),
                            too_long,
                            too_long};
    bare_tools tools{gpu, llm};
    auto s = prepared_state(twice_problem(), tools);
    CHECK(lkt::propose(s, tools).value() == lkt::answer::none);
    CHECK(lkt::propose(s, tools).error().code == too_long.code);
    CHECK(llm.requests().size() == 2);
    CHECK(lkt::propose(s, tools).value() == lkt::answer::none);
    CHECK(lkt::propose(s, tools).error().code == other.code);
    CHECK(llm.requests().size() == 4);

    CHECK(lkt::propose(s, tools).value() == lkt::answer::code);
    auto const requests = llm.requests();
    REQUIRE(requests.size() == 6);
    auto const& whole = requests[4].messages;
    auto const& shorter = requests[5].messages;
    REQUIRE(whole.size() == 6);
    REQUIRE(shorter.size() == 4);
    CHECK(shorter[0] == whole[0]); // rules
    CHECK(shorter[1] == whole[1]); // problem and kernel
    CHECK(shorter[2] == whole[4]);
    CHECK(shorter[3].text ==
          whole[5].text + "\n1 earlier attempt is left out here to save space\n");
    CHECK(s.attempts.size() == 2); // what is known is not forgotten
    CHECK(s.usage.calls == 3);
    REQUIRE(s.history.size() == 3);
    REQUIRE_FALSE(s.history[2].notes.empty());
    CHECK(s.history[2].notes.back().find("too long for the model") != std::string::npos);

    auto const before = s.history.size();
    auto const end = lkt::propose(s, tools).error();
    CHECK(end.code == too_long.code);
    CHECK(end.message.starts_with("8192 tokens at most; "));
    CHECK(end.message.find("only the latest attempts and steps") != std::string::npos);
    CHECK(llm.requests().size() == 8);
    CHECK(s.history.size() == before);
}

TEST_CASE("A budget that is used up ends the run before the call") {
    auto gpu = same_for_all();
    lkt::scripted_model llm{reply("a"), reply("b"), reply("c")};
    lkt::problem_tests tests;
    lkt::exhaustive all;
    lkt::toolbox<fake_gpu, lkt::scripted_model> tools{gpu, llm, tests, all};
    auto s = prepared_state(twice_problem(), tools);
    tools.budget.model_calls = 1;
    CHECK(lkt::propose(s, tools).has_value());
    auto const calls = lkt::propose(s, tools);
    REQUIRE(calls.has_error());
    CHECK(calls.error().kind == lkt::condition::exhausted);
    tools.budget = {};
    tools.budget.tokens = 120;
    CHECK(lkt::propose(s, tools).error().message.find("120 tokens") != std::string::npos);
    CHECK(llm.requests().size() == 1);
}

TEST_CASE("Prompts of one's own are sent") {
    auto gpu = same_for_all();
    lkt::scripted_model llm{reply("no")};
    bare_tools tools{gpu, llm};
    auto s = prepared_state(twice_problem(), tools);
    CHECK(lkt::propose_with<shouting>(s, tools).has_value());
    CHECK(llm.requests()[0].messages[0].text == "FASTER");
}

TEST_CASE("Tools bring prompts for strategies that have none of their own") {
    auto gpu = same_for_all();
    lkt::scripted_model llm{reply("no"), reply("no"), reply("no")};
    lkt::problem_tests tests;
    lkt::exhaustive all;
    lkt::toolbox<fake_gpu, lkt::scripted_model> tools{gpu, llm, tests, all};
    auto s = prepared_state(twice_problem(), tools);
    REQUIRE(tools.prompts.texts.replace("system", "From a file.").has_value());
    CHECK(lkt::propose(s, tools).has_value());
    CHECK(lkt::propose_with<brief_words>(s, tools).has_value());
    CHECK(lkt::propose_with<shouting>(s, tools).has_value());
    CHECK(llm.requests()[0].messages[0].text == "From a file.");
    CHECK(llm.requests()[1].messages[0].text == "Speed up CUDA.");
    CHECK(llm.requests()[2].messages[0].text == "FASTER");
}
