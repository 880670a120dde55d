// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/select_step.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using lkt::selection;
using lkt::step_outcome;

namespace {

lkt::optimization_step step(std::string id, std::vector<std::string> depends_on = {}) {
    lkt::optimization_step s;
    s.id = std::move(id);
    s.prompt = "Do it.";
    s.depends_on = std::move(depends_on);
    return s;
}

lkt::explicit_state scene(std::vector<lkt::optimization_step> steps) {
    lkt::explicit_state s;
    s.ledger.steps = std::move(steps);
    REQUIRE(lkt::begin_steps(s).has_value());
    return s;
}

void end(lkt::explicit_state& s, step_outcome outcome) {
    lkt::detail::end_step(lkt::detail::state_ref(s), s.ledger, outcome, {});
}

step_outcome outcome_of(lkt::explicit_state const& s, std::string const& id) {
    auto const* record = s.ledger.record_of(id);
    REQUIRE(record != nullptr);
    return record->outcome;
}

} // namespace

TEST_CASE("A list that cannot be worked off is an error, which changes nothing") {
    lkt::explicit_state s;
    s.ledger.steps = {step("a", {"a"})};
    s.ledger.records.emplace_back().id = "kept";
    s.step = "kept";
    auto const begun = lkt::begin_steps(s);
    REQUIRE(begun.has_error());
    CHECK(begun.error().code == "lkt.strategies.steps");
    CHECK(s.ledger.records.size() == 1);
    CHECK(s.step == "kept");
}

TEST_CASE("Steps come in their order, each once, those that wait for another behind it") {
    auto s = scene({step("b", {"a"}), step("a"), step("c")});
    s.attempts.emplace_back();
    for (std::string const id : {"a", "b", "c"}) {
        CHECK(lkt::select_step(s) == selection::gated);
        CHECK(s.ledger.current.id == id);
        CHECK(s.step == id + ": Do it.");
        CHECK(s.attempts.empty());
        end(s, step_outcome::improved);
        CHECK(s.step.empty());
        s.history.emplace_back();
    }
    CHECK(lkt::select_step(s) == selection::none);
    CHECK(s.ledger.records.size() == 3);
    CHECK(s.ledger.records[2].first_record == 2);
}

TEST_CASE("What is not for the kernel's language, or in the kernel already, is not asked about") {
    auto foreign = step("foreign");
    foreign.languages = {lkt::language::wgsl};
    auto present = step("present");
    present.tune_params = {{"TILE", {std::int64_t{1}}, {}}};
    auto direct = step("direct", {"present"});
    direct.skip_evaluation = true;
    auto s = scene({step("after", {"foreign"}), foreign, present, direct});
    s.best.kernel.parameters = {{"TILE", {std::int64_t{4}}}};
    CHECK(lkt::select_step(s) == selection::ungated);
    CHECK(s.ledger.current.id == "direct");
    CHECK_FALSE(s.step.find("does not contain") != std::string::npos); // `present` is there
    end(s, step_outcome::no_gain);
    CHECK(lkt::select_step(s) == selection::none);
    CHECK(outcome_of(s, "foreign") == step_outcome::foreign);
    CHECK(outcome_of(s, "present") == step_outcome::present);
    CHECK(outcome_of(s, "after") == step_outcome::unmet);
    CHECK(s.notes.size() == 4);
    CHECK(s.notes[0] == "step foreign: foreign");
}

TEST_CASE("A record says what the attempts came to") {
    auto s = scene({step("a"), step("b"), step("c"), step("d")});
    CHECK(lkt::select_step(s) == selection::gated);
    s.history.emplace_back().outcome = lkt::improvement{};
    lkt::record_step(s);
    CHECK(outcome_of(s, "a") == step_outcome::improved);

    // The improvement before is not one of this step's.
    CHECK(lkt::select_step(s) == selection::gated);
    lkt::record_step(s);
    CHECK(outcome_of(s, "b") == step_outcome::failed);

    CHECK(lkt::select_step(s) == selection::gated);
    s.attempts = {{"r", lkt::failure(lkt::compile_failed{"no", {}}), {}},
                  {"r", lkt::no_improvement{}, {}}};
    lkt::record_step(s);
    CHECK(outcome_of(s, "c") == step_outcome::no_gain);

    CHECK(lkt::select_step(s) == selection::gated);
    s.attempts = {{"r", lkt::failure(lkt::compile_failed{"line 3\nno", {}}), {}}};
    s.history.emplace_back();
    lkt::record_step(s);
    CHECK(outcome_of(s, "d") == step_outcome::failed);
    CHECK(s.ledger.records.back().records == 1);
    CHECK(s.notes.back().find("line 3 no") != std::string::npos);
}

TEST_CASE("The end says whether anything was gained, was correct, or came at all") {
    auto const ended = [](std::vector<step_outcome> const& outcomes) {
        lkt::explicit_state s;
        for (auto const o : outcomes) s.ledger.records.emplace_back().outcome = o;
        return lkt::summarize_step_list(s);
    };
    using enum step_outcome;
    CHECK(ended({failed, improved, no_gain}) == lkt::ending::improved);
    CHECK(ended({failed, no_gain}) == lkt::ending::correct);
    CHECK(ended({failed, declined, unmet}) == lkt::ending::nothing);
    CHECK(ended({declined, unmet, present, foreign}) == lkt::ending::correct);
}
