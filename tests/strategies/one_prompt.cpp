// SPDX-License-Identifier: BSL-1.0
#include <lkt/strategies/one_prompt.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/run.hpp>
#include <lkt/llm/scripted.hpp>

#include "../support/prepared_state.hpp"
#include "../support/run_strategy.hpp"

#include <string>
#include <vector>

using namespace lkt_test;

namespace {

/// What a text says of itself decides what becomes of it.
behaviour by_remark(std::string const& text, lkt::configuration const&) {
    behaviour b;
    auto const says = [&](char const* word) { return text.find(word) != std::string::npos; };
    if (says("broken")) b.compile = lkt::failure(lkt::compile_failed{"2:1: error: no", {2, 1}});
    if (says("wrong")) b.wrong = true;
    if (says("slow")) b.time = lkt::seconds(3e-3);
    if (says("quick")) b.time = lkt::seconds(0.4e-3);
    return b;
}

std::string answer_with(std::string const& remark) { return reply_with(changed_text(remark)); }

struct scene {
    fake_gpu gpu{by_remark};
    lkt::scripted_model llm;
    bare_tools<fake_gpu, lkt::scripted_model> tools{gpu, llm};
    lkt::tuning_state s = prepared_state(twice_problem(), tools);

    explicit scene(std::vector<lkt::scripted_turn> turns) : llm(std::move(turns)) {}
};

template <class Terminal, class Outcome>
bool ended_in(lkt::result<Outcome> const& r) {
    return r.has_value() && std::holds_alternative<Terminal>(*r);
}

constexpr lkt::one_prompt<> patient{.limits = {.attempts = 5}};

} // namespace

TEST_CASE("Rewrites that do not compile, are wrong or slow lead to one that is faster") {
    scene c({"no code at all",
             answer_with("broken"),
             answer_with("wrong"),
             answer_with("slow"),
             answer_with("quick")});
    auto const end = run_strategy(patient, c.s, c.tools);
    CHECK(ended_in<lkt::tuned>(end));
    CHECK(c.s.best.kernel.source.text == changed_text("quick"));
    REQUIRE(c.s.history.size() == 5);
    CHECK(c.s.attempts.size() == 4);
    // The last request tells the whole story, turn by turn.
    auto const messages = c.llm.requests().back().messages;
    REQUIRE(messages.size() == 10);
    CHECK(messages[3].text.find("no fenced code block") != std::string::npos);
    CHECK(messages[5].text.find("2:1: error: no") != std::string::npos);
    CHECK(messages[7].text.find("64 of 64 elements are wrong") != std::string::npos);
    CHECK(messages[9].text.find("slower") != std::string::npos);
}

TEST_CASE("The attempts are bounded, and the terminal says what came of them") {
    using three = lkt::one_prompt<>;
    scene wrong({answer_with("wrong"), "nothing", answer_with("broken"), answer_with("quick")});
    CHECK(ended_in<lkt::gave_up>(lkt::run<three>(wrong.s, wrong.tools)));
    CHECK(wrong.llm.left() == 1);
    CHECK(wrong.s.best.kernel.source.text == original_text);

    scene slow({answer_with("slow"), answer_with("wrong"), answer_with("slow 2")});
    CHECK(ended_in<lkt::unchanged>(lkt::run<three>(slow.s, slow.tools)));
    CHECK(slow.s.history.size() == 3);
}

TEST_CASE("A model that answers only nonsense costs as many calls as there are attempts") {
    scene c(std::vector<lkt::scripted_turn>(20, "As a language model, I like kernels."));
    CHECK(ended_in<lkt::gave_up>(run_strategy(patient, c.s, c.tools)));
    CHECK(c.llm.requests().size() == 5);
    CHECK(c.s.best.kernel.source.text == original_text);
}

TEST_CASE("A slower kernel may end the step") {
    scene c({answer_with("slow"), answer_with("quick")});
    using strict = lkt::one_prompt<lkt::one_prompt_knobs{.retry_slower = false}>;
    CHECK(ended_in<lkt::unchanged>(lkt::run<strict>(c.s, c.tools)));
    CHECK(c.llm.left() == 1);
}

TEST_CASE("The number of attempts is the state's") {
    scene c({answer_with("wrong"), answer_with("wrong"), answer_with("quick")});
    c.s.per_step.attempts = 2;
    CHECK(ended_in<lkt::gave_up>(lkt::run<lkt::one_prompt<>>(c.s, c.tools)));
    CHECK(c.llm.left() == 1);
}

TEST_CASE("Failures that may pass are retried without using up an attempt") {
    lkt::error const busy{lkt::condition::transient, "x", "overloaded", {}};
    lkt::one_prompt<lkt::one_prompt_knobs{}, lkt::default_prompts, lkt::backoff{.first_ms = 0}>
        quick_retry{.limits = {.attempts = 1}};
    scene c({busy, busy, answer_with("quick")});
    CHECK(ended_in<lkt::tuned>(run_strategy(quick_retry, c.s, c.tools)));
    CHECK(c.llm.requests().size() == 3);

    scene down({busy, busy, busy, answer_with("quick")});
    auto const end = run_strategy(quick_retry, down.s, down.tools);
    REQUIRE(end.has_error());
    CHECK(end.error().message == "overloaded");
}

TEST_CASE("A run that failed goes on where it stood") {
    lkt::error const gone{lkt::condition::unavailable, "x", "no such model", {}};
    scene c({answer_with("wrong"), gone, answer_with("quick")});
    lkt::cursor<lkt::one_prompt<>> at;
    REQUIRE(run_strategy(patient, c.s, c.tools, at).has_error());
    CHECK(c.s.attempts.size() == 1);
    CHECK(ended_in<lkt::tuned>(run_strategy(patient, c.s, c.tools, at)));
    CHECK(c.llm.requests().back().messages.size() == 4); // the first attempt is remembered
}
