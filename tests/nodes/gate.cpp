// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/gate.hpp>

#include <doctest/doctest.h>

#include <lkt/llm/scripted.hpp>
#include <lkt/nodes/select_step.hpp>

#include "../support/prepared_state.hpp"

#include <string>

using namespace lkt_test;
using lkt::gated;

namespace {

struct scene {
    fake_gpu gpu{[](std::string const&, lkt::configuration const&) { return behaviour{}; }};
    lkt::scripted_model llm;
    bare_tools<fake_gpu, lkt::scripted_model> tools{gpu, llm};
    lkt::explicit_state s;

    explicit scene(std::vector<lkt::scripted_turn> turns) : llm(std::move(turns)) {
        static_cast<lkt::tuning_state&>(s) = prepared_state(tunable_problem(), tools);
        CHECK(lkt::select_step(s) == lkt::selection::gated);
    }
    [[nodiscard]] std::string asked() const { return llm.requests().back().messages.at(1).text; }
};

bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("The question shows the kernel and the step as the executor will have it") {
    scene c({R"({"should_run": true, "why": "x", "already_there": null})"});
    CHECK(lkt::ask_gate(c.s, c.tools).value() == gated::yes);
    CHECK(has(c.asked(), original_text));
    CHECK(has(c.asked(), c.s.step));
    CHECK(has(c.asked(), "number of threads of a block in x a tunable parameter"));
    CHECK(has(c.asked(), "`BLOCK`: 32, 16, 64"));
    CHECK(has(c.asked(), "timed: N=64"));
    CHECK_FALSE(has(c.asked(), "Apply this step"));
    CHECK(has(c.llm.requests()[0].messages[0].text, "Fake 1"));
    CHECK(c.s.ledger.current.gate == lkt::gate_verdict::yes);
    CHECK(c.s.ledger.records.empty());
    CHECK(c.s.usage.calls == 1);
}

TEST_CASE("A no ends the step, as present where the kernel does it already") {
    scene no({R"({"should_run": false, "why": "nothing to share"})"});
    CHECK(lkt::ask_gate(no.s, no.tools).value() == gated::no);
    REQUIRE(no.s.ledger.records.size() == 1);
    CHECK(no.s.ledger.records[0].id == "block_size_x");
    CHECK(no.s.ledger.records[0].outcome == lkt::step_outcome::declined);
    CHECK(no.s.notes.back() == "step block_size_x: declined, nothing to share");
    CHECK(no.s.ledger.current.id.empty());

    scene there({R"({"should_run": false, "why": "BLOCK is it", "already_there": true})"});
    CHECK(lkt::ask_gate(there.s, there.tools).value() == gated::no);
    CHECK(there.s.ledger.records[0].outcome == lkt::step_outcome::present);
}

TEST_CASE("Answers in a fence, with more than was asked for or as text are answers") {
    scene c({"Yes.\n```json\n{\"should_run\": \"true\", \"why\": \"x\", \"more\": 1}\n```\n"});
    CHECK(lkt::ask_gate(c.s, c.tools).value() == gated::yes);
}

TEST_CASE("What is no answer is kept, with its faults, for the next question") {
    lkt::chat_reply cut;
    cut.text = R"({"should_run": tr)";
    cut.finish = lkt::finish::length;
    scene c({"Perhaps.", "", cut, R"({"should_run": true, "why": ""})"});
    for (std::size_t i = 1; i <= 3; ++i) {
        CHECK(lkt::ask_gate(c.s, c.tools).value() == gated::unclear);
        CHECK(c.s.ledger.gate_attempts.size() == i);
        CHECK_FALSE(c.s.ledger.gate_attempts.back().faults.empty());
        CHECK(c.s.usage.calls == static_cast<std::int64_t>(i)); // one call a visit
    }
    CHECK(c.s.ledger.current.gate == lkt::gate_verdict::unclear);
    CHECK(lkt::ask_gate(c.s, c.tools).value() == gated::yes);
    auto const messages = c.llm.requests().back().messages;
    REQUIRE(messages.size() == 8);
    CHECK(messages[2].text == "Perhaps.");
    CHECK(messages[4].text == "(no text)");
}

TEST_CASE("What the model returns as an error is no answer, and changes nothing") {
    lkt::error const gone{lkt::condition::unavailable, "x", "no such model", {}};
    scene c({gone});
    auto const ended = lkt::ask_gate(c.s, c.tools);
    REQUIRE(ended.has_error());
    CHECK(ended.error().message == "no such model");
    CHECK(c.s.usage.calls == 0);
    CHECK(c.s.ledger.gate_attempts.empty());
    CHECK(c.s.ledger.current.gate == lkt::gate_verdict::not_asked);
}

TEST_CASE("Other words are a type") {
    struct short_words : lkt::default_gate_prompts {
        short_words() { texts.task = "Worth it?\n${kernel}\n${step}\n"; }
    };
    scene c({R"({"should_run": true, "why": "x"})"});
    lkt::ask_gate_fn<lkt::answer_mode::native_schema, short_words> const ask{};
    CHECK(ask(c.s, c.tools).value() == gated::yes);
    CHECK(c.asked().starts_with("Worth it?"));
}
