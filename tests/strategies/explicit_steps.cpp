// SPDX-License-Identifier: BSL-1.0
#include <lkt/strategies/explicit_steps.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/run.hpp>
#include <lkt/llm/scripted.hpp>
#include <lkt/strategies/repeated.hpp>
#include <lkt/tuner/tuner.hpp>

#include "../support/run_strategy.hpp"
#include "explicit_support.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace lkt_test;
using lkt::dependency_rule;
using lkt::step_outcome;

namespace {

using ids = std::vector<std::string>;
using records = std::vector<std::pair<std::string, step_outcome>>;

constexpr lkt::backoff at_once{.first_ms = 0};
constexpr lkt::explicit_knobs knobs{};
using strategy =
    lkt::explicit_steps<knobs, lkt::default_prompts, lkt::default_gate_prompts, at_once>;

struct scene {
    fake_gpu gpu{by_speed};
    step_model llm;
    bare_tools<fake_gpu, step_model> tools{gpu, llm};
    lkt::explicit_state s;

    scene(step_model model,
          std::vector<lkt::optimization_step> steps,
          lkt::problem task = twice_problem())
        : llm(std::move(model)), s(explicit_scene(std::move(steps), tools, std::move(task))) {}
};

template <class Terminal, class Outcome>
bool ended_in(lkt::result<Outcome> const& r) {
    return r.has_value() && std::holds_alternative<Terminal>(*r);
}

std::vector<lkt::optimization_step> a_then_b_then_c() {
    return {plain_step("a"), plain_step("b", {"a"}), plain_step("c", {"b"})};
}

} // namespace

TEST_CASE("Each accepted step sends its own prompt, in a conversation of its own") {
    scene c(step_model(kernels()), {plain_step("a"), plain_step("b"), plain_step("c")});
    CHECK(ended_in<lkt::tuned>(lkt::run<strategy>(c.s, c.tools)));
    CHECK(c.llm.steps(false) == ids{"a", "b", "c"});
    REQUIRE(c.llm.asked->size() == 6);
    for (auto const& r : *c.llm.asked) {
        CHECK(r.messages.size() == 2);
        std::string const id = step_of(r);
        CHECK(has(task_of(r), "Do what " + id + " is about."));
    }
    // What became of the steps before is told, and the kernel that they came to is shown.
    auto const& last = c.llm.asked->back();
    CHECK(has(task_of(last), "// b speed 4"));
    CHECK(has(task_of(last), "accepted"));
    CHECK(outcomes(c.s) == records{{"a", step_outcome::improved},
                                   {"b", step_outcome::improved},
                                   {"c", step_outcome::improved}});
    CHECK(c.s.history.size() == 3);
    CHECK(c.s.history[1].step.starts_with("b: Do what b is about."));
}

TEST_CASE("With the library's list too, 15 accepted steps send 15 different prompts") {
    scene c(step_model(kernels()), lkt::default_steps());
    REQUIRE(ended_in<lkt::tuned>(lkt::run<strategy>(c.s, c.tools)));
    std::set<std::string> texts;
    for (auto const& r : *c.llm.asked) {
        CHECK(has(task_of(r), "__global__ void twice(")); // the kernel, whatever the step is
        if (!is_gate(r)) texts.insert(task_of(r).substr(task_of(r).find("Apply this step")));
    }
    CHECK(texts.size() == 15);
    CHECK(c.s.ledger.records.size() == 15);
}

TEST_CASE("A no skips exactly the step that was asked about, and the next one is applied") {
    scene c(step_model(kernels(), no_to({"a"})), {plain_step("a"), plain_step("b")});
    CHECK(ended_in<lkt::tuned>(lkt::run<strategy>(c.s, c.tools)));
    CHECK(c.llm.steps(true) == ids{"a", "b"});
    CHECK(c.llm.steps(false) == ids{"b"});
    CHECK(outcomes(c.s) == records{{"a", step_outcome::declined}, {"b", step_outcome::improved}});
    CHECK(c.s.ledger.records[0].why == "it is of no use");
}

TEST_CASE("Gate and executor mean the same step where the first of the list is not ready") {
    scene c(step_model(kernels(), no_to({"z"})),
            {plain_step("late", {"early"}), plain_step("z"), plain_step("early")});
    CHECK(ended_in<lkt::tuned>(lkt::run<strategy>(c.s, c.tools)));
    CHECK(c.llm.steps(true) == ids{"z", "early", "late"});
    CHECK(c.llm.steps(false) == ids{"early", "late"});
}

TEST_CASE("A declined step takes its dependants with it under each rule") {
    auto const check = [](auto with_rule) {
        scene c(step_model(kernels(), no_to({"a"})), a_then_b_then_c());
        CHECK(ended_in<lkt::unchanged>(lkt::run<decltype(with_rule)>(c.s, c.tools)));
        CHECK(c.llm.steps(false).empty());
        CHECK(outcomes(c.s) == records{{"a", step_outcome::declined},
                                       {"b", step_outcome::unmet},
                                       {"c", step_outcome::unmet}});
        CHECK(c.s.ledger.records[1].why == "it depends on a (declined)");
    };
    check(lkt::explicit_steps<lkt::explicit_knobs{.dependencies = dependency_rule::improved}>{});
    check(lkt::explicit_steps<lkt::explicit_knobs{.dependencies = dependency_rule::applied}>{});
    check(lkt::explicit_steps<lkt::explicit_knobs{.dependencies = dependency_rule::attempted}>{});
}

TEST_CASE("What a step without success means for its dependants is the rule's business") {
    auto const steps_after = [](auto with_rule, std::string const& remark) {
        scene c(step_model(kernels({{"a", remark}})), a_then_b_then_c());
        (void)lkt::run<decltype(with_rule)>(c.s, c.tools).value();
        auto asked = c.llm.steps(false);
        asked.erase(std::unique(asked.begin(), asked.end()), asked.end()); // attempts
        if (asked.size() > 1) { // the kernel lacks what the step builds on, and the model knows
            auto const& r = *std::find_if(c.llm.asked->begin(), c.llm.asked->end(), [](auto& one) {
                return !is_gate(one) && step_of(one) == "b";
            });
            CHECK(has(task_of(r), "others that the kernel does not contain"));
            CHECK(has(task_of(r), "- a ("));
        }
        return asked;
    };
    using improved =
        lkt::explicit_steps<lkt::explicit_knobs{.dependencies = dependency_rule::improved}>;
    using applied =
        lkt::explicit_steps<lkt::explicit_knobs{.dependencies = dependency_rule::applied}>;
    using attempted =
        lkt::explicit_steps<lkt::explicit_knobs{.dependencies = dependency_rule::attempted}>;
    CHECK(steps_after(improved{}, "speed 0.5") == ids{"a"});
    CHECK(steps_after(applied{}, "speed 0.5") == ids{"a", "b", "c"});
    CHECK(steps_after(attempted{}, "speed 0.5") == ids{"a", "b", "c"});
    CHECK(steps_after(improved{}, "wrong") == ids{"a"});
    CHECK(steps_after(applied{}, "wrong") == ids{"a"});
    CHECK(steps_after(attempted{}, "wrong") == ids{"a", "b", "c"});
}

TEST_CASE("A kernel that is correct but slower leaves kernel and parameters as they were") {
    auto step = plain_step("a");
    step.tune_params = {{"FACTOR", {std::int64_t{1}, std::int64_t{2}}, std::int64_t{1}}};
    auto const slow = [](lkt::chat_request const&) -> lkt::result<std::string> {
        return reply_with(changed_text("FACTOR speed 0.5") + "static const int f = FACTOR;\n",
                          R"({"parameters": {"FACTOR": [2, 4], "BLOCK": [64, 16]}})");
    };
    scene c(step_model(slow), {step}, tunable_problem());
    auto const before = c.s.best;
    CHECK(ended_in<lkt::unchanged>(lkt::run<strategy>(c.s, c.tools)));
    CHECK(c.s.best.kernel == before.kernel);
    CHECK(c.s.best.config == before.config);
    CHECK(c.s.best.dimensions == before.dimensions);
    CHECK(c.s.history.at(0).configurations.size() == 2 * 2);
    CHECK(c.llm.asked->size() == 2); // a correct kernel ends the step
    CHECK(outcomes(c.s) == records{{"a", step_outcome::no_gain}});
    CHECK(c.s.step.empty());
}

TEST_CASE("A step that fails is tried again with the reason, and then left") {
    scene c(step_model(kernels({{"a", "broken"}})), {plain_step("a"), plain_step("b")});
    CHECK(ended_in<lkt::tuned>(lkt::run<strategy>(c.s, c.tools)));
    CHECK(c.llm.steps(false) == ids{"a", "a", "a", "b"});
    CHECK((*c.llm.asked)[3].messages.size() == 6);
    CHECK(has((*c.llm.asked)[3].messages.back().text, "2:1: error: no"));
    CHECK((*c.llm.asked)[5].messages.size() == 2); // b begins with a clean sheet
    auto const& failed = c.s.ledger.records[0];
    CHECK(failed.outcome == step_outcome::failed);
    CHECK(failed.records == 3);
    CHECK(has(failed.why, "error: no"));
}

TEST_CASE("Answers of the gate that are of no use are asked for again; then the step runs") {
    auto const nonsense = [](lkt::chat_request const&) -> lkt::result<std::string> {
        return std::string("It depends.");
    };
    scene c(step_model(kernels(), nonsense), {plain_step("a")});
    CHECK(ended_in<lkt::tuned>(lkt::run<strategy>(c.s, c.tools)));
    CHECK(c.llm.steps(true) == ids{"a", "a", "a"});
    REQUIRE((*c.llm.asked)[2].messages.size() == 6);
    CHECK((*c.llm.asked)[2].messages[2].text == "It depends.");
    CHECK(has((*c.llm.asked)[2].messages[3].text, "cannot be used"));
    CHECK(c.s.ledger.records[0].gate == lkt::gate_verdict::unclear);
    CHECK(c.s.usage.calls == 4);
}

TEST_CASE("A failure of the model is no answer of the gate: it is asked again after a while") {
    lkt::error const busy{lkt::condition::transient, "x", "overloaded", {}};
    int failures = 2;
    auto const flaky = [&](lkt::chat_request const&) -> lkt::result<std::string> {
        if (failures-- > 0) return busy;
        return std::string(step_model::no);
    };
    scene c(step_model(kernels(), flaky), {plain_step("a")});
    CHECK(ended_in<lkt::unchanged>(lkt::run<strategy>(c.s, c.tools)));
    CHECK(c.llm.steps(true).size() == 3);
    CHECK((*c.llm.asked)[2].messages.size() == 2);
    CHECK(c.s.usage.calls == 1);

    failures = 100; // it stays away: the run ends with that, and goes on where it stood
    scene down(step_model(kernels(), flaky), {plain_step("a")});
    lkt::cursor<strategy> at;
    auto const end = lkt::run<strategy>(down.s, down.tools, at);
    REQUIRE(end.has_error());
    CHECK(end.error().message == "overloaded");
    failures = 0;
    CHECK(ended_in<lkt::unchanged>(lkt::run<strategy>(down.s, down.tools, at)));
    CHECK(outcomes(down.s) == records{{"a", step_outcome::declined}});
}

TEST_CASE("A model that answers only nonsense costs bounded calls and leaves the original") {
    auto const nonsense = [](lkt::chat_request const&) -> lkt::result<std::string> {
        return std::string("As a language model, I like kernels.");
    };
    step_model llm(nonsense, nonsense);
    fake_gpu gpu(by_speed);
    auto const outcome = lkt::tuner{gpu, llm, strategy{}}.tune(twice_problem());
    REQUIRE_MESSAGE(outcome.has_value(), to_string(outcome.error()));
    CHECK(outcome->terminal == "gave_up");
    CHECK_FALSE(outcome->improved());
    CHECK(outcome->best.kernel.source.text == original_text);
    // Six steps depend on no other; the rest is not asked about. Three answers each, twice.
    CHECK(llm.asked->size() == 6 * 6);
    auto const notes = outcome->notes;
    CHECK(std::any_of(notes.begin(), notes.end(), [](std::string const& n) {
        return has(n, "step block_size_x: failed") && has(n, "no fenced code block");
    }));
}

TEST_CASE("Steps may go without the gate, one by one or all") {
    auto direct = plain_step("direct");
    direct.skip_evaluation = true;
    scene one(step_model(kernels(), no_to({"direct", "asked"})), {direct, plain_step("asked")});
    CHECK(ended_in<lkt::tuned>(lkt::run<strategy>(one.s, one.tools)));
    CHECK(one.llm.steps(true) == ids{"asked"});
    CHECK(one.llm.steps(false) == ids{"direct"});
    CHECK(one.s.ledger.records[0].gate == lkt::gate_verdict::not_asked);

    using ungated = lkt::explicit_steps<lkt::explicit_knobs{.gate = false}>;
    static_assert(decltype(ungated::graph)::size + 1 == decltype(strategy::graph)::size);
    scene all(step_model(kernels(), no_to({"a"})), {plain_step("a")});
    CHECK(ended_in<lkt::tuned>(lkt::run<ungated>(all.s, all.tools)));
    CHECK(all.llm.steps(true).empty());
}

TEST_CASE("The configurations of each candidate stay within the budget as steps are accepted") {
    // Each kernel makes use of every parameter so far, and offers all values of it.
    std::string params, uses;
    auto const greedy = [&](lkt::chat_request const& r) -> lkt::result<std::string> {
        std::string const id = step_of(r);
        for (auto const& step : lkt::default_steps())
            for (auto const& p : step.tune_params) {
                if (step.id != id) continue;
                params += (params.empty() ? "\"" : ", \"") + p.name + "\": [";
                for (auto const& v : p.values)
                    params += (params.back() == '[' ? "" : ",") + lkt::value_text(v);
                params += "]";
                uses += "static const int use_" + p.name + " = " + p.name + ";\n";
            }
        static int speed = 1;
        ++speed;
        return reply_with(changed_text("speed " + std::to_string(speed)) + uses,
                          "{\"parameters\": {" + params + "}}");
    };
    scene c(step_model(greedy), lkt::default_steps());
    CHECK(ended_in<lkt::tuned>(lkt::run<strategy>(c.s, c.tools)));
    REQUIRE(c.s.history.size() == 15);
    std::size_t noted = 0;
    for (auto const& a : c.s.history) {
        CHECK(std::holds_alternative<lkt::improvement>(a.outcome));
        CHECK(a.configurations.size() <= 200);
        for (auto const& n : a.notes) noted += has(n, "narrowed, to keep") ? 1 : 0;
    }
    CHECK(noted >= 8);
    CHECK(c.s.best.kernel.parameters.size() == 11);
}

TEST_CASE("A list that cannot be worked off is refused before anybody is asked") {
    auto const refused = [](std::vector<lkt::optimization_step> steps) {
        fake_gpu gpu(by_speed);
        step_model llm(kernels());
        auto const outcome =
            lkt::tuner{gpu, llm, strategy{.steps = std::move(steps)}}.tune(twice_problem());
        REQUIRE(outcome.has_value());
        REQUIRE(outcome->stopped_by.has_value());
        CHECK(outcome->stopped_by->code == "lkt.strategies.steps");
        CHECK(llm.asked->empty());
        return outcome->stopped_by->message;
    };
    CHECK(has(refused({}), "empty"));
    CHECK(has(refused({plain_step("a", {"b"}), plain_step("b", {"a"})}), "waits for itself"));
    CHECK(has(refused({plain_step("a", {"b"})}), "`b`, which is not a step"));
}

TEST_CASE("The tuner takes a list of the user's") {
    fake_gpu gpu(by_speed);
    step_model llm(kernels());
    lkt::tuner tune{gpu, llm, strategy{.steps = {{plain_step("mine")}}}};
    auto const outcome = tune.tune(twice_problem());
    REQUIRE(outcome.has_value());
    CHECK(outcome->terminal == "tuned");
    CHECK(llm.steps(false) == ids{"mine"});
}

TEST_CASE("It can be repeated, and begins its list anew") {
    scene c(step_model(kernels()), {plain_step("a"), plain_step("b")});
    constexpr lkt::repeated<strategy> twice{.limits = {.rounds = 2}};
    lkt::repeated<strategy>::state s{c.s, {}};
    CHECK(ended_in<lkt::tuned>(run_strategy(twice, s, c.tools)));
    CHECK(c.llm.steps(false) == ids{"a", "b", "a", "b"});
}

TEST_CASE("What the budget does not allow ends the run between questions") {
    fake_gpu gpu(by_speed);
    step_model llm(kernels());
    lkt::tune_options options;
    options.budget.model_calls = 5;
    auto const outcome = lkt::tuner{gpu, llm, strategy{}}.tune(twice_problem(), options);
    REQUIRE(outcome.has_value());
    REQUIRE(outcome->stopped_by.has_value());
    CHECK(outcome->stopped_by->code == "lkt.tuner.budget");
    CHECK(llm.asked->size() == 5);
    CHECK(outcome->improved());
}
