// SPDX-License-Identifier: BSL-1.0
// Requests that are too long for their model: every node that tells of what came before.
#include <lkt/nodes/break_down.hpp>
#include <lkt/nodes/gate.hpp>
#include <lkt/nodes/plan.hpp>
#include <lkt/nodes/validate_step.hpp>

#include <doctest/doctest.h>

#include <lkt/nodes/advise.hpp>
#include <lkt/nodes/batch.hpp>
#include <lkt/nodes/declare_tests.hpp>
#include <lkt/nodes/propose.hpp>
#include <lkt/nodes/select_step.hpp>
#include <lkt/strategies/evolve.hpp>

#include "../support/narrow_model.hpp"
#include "../support/planning.hpp"
#include "../verify/fake_backend.hpp"
#include "declaration_support.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

using namespace lkt_test;

namespace {

constexpr auto no_limit = std::numeric_limits<std::int64_t>::max();

/// Tools that say how much the model reads, where that is known.
struct narrow_tools {
    fake_gpu& gpu;
    narrow_model& llm;
    std::int64_t context_tokens = 0;
};

template <class State>
struct narrow_scene {
    fake_gpu gpu{by_remark};
    narrow_model llm;
    narrow_tools tools{gpu, llm};
    State s;

    explicit narrow_scene(std::vector<lkt::scripted_turn> turns) : llm(no_limit, std::move(turns)) {
        static_cast<lkt::tuning_state&>(s) = prepared_state(tunable_problem(), tools);
        if constexpr (requires { s.calls; }) s.calls.in_flight = 1;
    }

    /// Refuses from here on what is not shorter than what `node` says now.
    template <class Node>
    void refuse_what_is_said(Node const& node) {
        narrow_model listener(0, {});
        narrow_tools others{gpu, listener};
        State copy = s;
        REQUIRE(node(copy, others).has_error());
        REQUIRE_FALSE(listener.refused.empty());
        llm.most = lkt::estimate_tokens(listener.refused.front()) - 1;
    }

    void remember(std::size_t count) {
        for (std::size_t k = 1; k <= count; ++k) {
            lkt::attempt_record a;
            a.step = "attempt at step " + std::to_string(k) + " " + padding(200);
            a.outcome = lkt::failure(lkt::no_code{"nothing"});
            s.history.push_back(a);
        }
    }
};

std::string numbered(std::size_t k) {
    return "step number " + std::to_string(k) + " " + padding(200);
}

narrow_scene<lkt::planning_state> planned_scene(std::vector<lkt::scripted_turn> turns) {
    narrow_scene<lkt::planning_state> c(std::move(turns));
    for (std::size_t k = 1; k <= 12; ++k) {
        lkt::past_step p;
        p.number = static_cast<int>(k);
        p.step.text = numbered(k);
        p.end = lkt::step_end::failed;
        c.s.planning.past.push_back(p);
    }
    return c;
}

std::size_t notes_on_length(std::vector<std::string> const& notes) {
    return static_cast<std::size_t>(std::count_if(notes.begin(), notes.end(), [](auto const& n) {
        return says(n, "too long for the model");
    }));
}

/// Asks in the more words the further behind the parent is.
struct uneven {
    static lkt::candidate const& before(auto const& s, lkt::batch_proposal const&) {
        return s.best.kernel;
    }
    template <class S, class Prompts>
    static lkt::conversation
    turns(S const&, lkt::batch_proposal const& r, Prompts const&, lkt::recall how) {
        bool const whole = how == lkt::recall::all;
        return {{lkt::role::user,
                 "for parent " + std::to_string(r.parent) +
                     (whole ? padding(1000 * r.parent) : std::string(" alone"))}};
    }
};

} // namespace

TEST_CASE(
    "A replanner that cannot read of all steps is told of the last ones, and how many there were") {
    auto c = planned_scene({replanned({"a"}), replanned({"b"})});
    c.refuse_what_is_said(lkt::replan);
    CHECK(ended_in<lkt::planned>(lkt::replan(c.s, c.tools)));
    REQUIRE(c.llm.refused.size() == 1);
    auto const whole = c.llm.refused[0], told = c.llm.taken(0);
    CHECK(told[0] == whole[0]); // the rules
    CHECK(says(whole[1].text, numbered(1)));
    CHECK_FALSE(says(whole[1].text, "left out"));
    CHECK_FALSE(says(told[1].text, numbered(7)));
    for (std::size_t k = 8; k <= 12; ++k) CHECK(says(told[1].text, numbered(k)));
    CHECK(says(told[1].text, "- 7 earlier steps are left out here to save space\n- Step 8"));
    CHECK(c.s.planning.past.size() == 12); // what is known is not forgotten
    CHECK(c.s.usage.calls == 1);
    CHECK(notes_on_length(c.s.notes) == 1);

    CHECK(ended_in<lkt::planned>(lkt::replan(c.s, c.tools)));
    CHECK(notes_on_length(c.s.notes) == 1); // said once
}

TEST_CASE("What is too long even then ends in an error that says so, and changes nothing") {
    auto c = planned_scene({});
    c.llm.most = 10;
    for (bool const again : {false, true}) {
        auto const end = lkt::replan(c.s, c.tools);
        REQUIRE(end.has_error());
        CHECK(end.error().code == "lkt.http.context-length");
        CHECK(end.error().kind == lkt::condition::rejected);
        CHECK(end.error().message.starts_with("the model reads 10 tokens at most; "));
        CHECK(says(end.error().message,
                   again ? "nothing can be left out" : "only the latest attempts and steps"));
        CHECK(c.llm.refused.size() == (again ? 3 : 2));
        CHECK(c.s.notes.empty());
        CHECK(c.s.planning.exchanges.empty());
        c.s.planning.past.clear(); // of nothing there is nothing to leave out: it is asked once
    }
}

TEST_CASE("What is known of the model's context shortens a request before it is made") {
    auto c = planned_scene({replanned({"a"}), replanned({"b"})});
    c.refuse_what_is_said(lkt::replan);
    auto const needed = c.llm.most + 1;
    c.llm.most = no_limit;
    c.tools.context_tokens = needed / 3 * 4 + 8; // three quarters of that are enough
    CHECK(lkt::replan(c.s, c.tools).has_value());
    CHECK(says(c.llm.taken(0)[1].text, numbered(1)));
    c.tools.context_tokens = needed;
    CHECK(lkt::replan(c.s, c.tools).has_value());
    CHECK_FALSE(says(c.llm.taken(1)[1].text, numbered(1)));
    CHECK(says(c.llm.taken(1)[1].text, numbered(12)));
    CHECK(c.llm.refused.empty());
}

TEST_CASE("Of unusable answers the last one is told, and a long one in part") {
    std::string const wordy = "{" + padding(20'000);
    auto c = planned_scene({"{1", wordy, steps({"a"})});
    CHECK(ended_in<lkt::unusable>(lkt::plan(c.s, c.tools)));
    CHECK(ended_in<lkt::unusable>(lkt::plan(c.s, c.tools)));
    c.refuse_what_is_said(lkt::plan);
    CHECK(ended_in<lkt::planned>(lkt::plan(c.s, c.tools)));
    auto const whole = c.llm.refused.at(0), told = c.llm.taken(2);
    REQUIRE(whole.size() == 6);
    REQUIRE(told.size() == 4);
    CHECK(whole[4].text == wordy);
    CHECK(told[2].text.size() < 13'000);
    CHECK(says(told[2].text, "bytes left out"));
    CHECK(says(told[3].text, "1 earlier answer is left out here"));
    CHECK_FALSE(says(whole[5].text, "earlier answer"));
    CHECK(c.s.planning.exchanges.size() == 3);
}

TEST_CASE("Questions about a step have their step, whatever is left out") {
    auto c = planned_scene({is_valid, stays_whole});
    c.s.planning.past.back().end = lkt::step_end::open;
    c.s.planning.limits.max_breakdowns = 1;
    for (std::size_t k = 0; k < 2; ++k) c.s.planning.exchanges.emplace_back().reply = padding(9000);
    for (auto& e : c.s.planning.exchanges) e.faults = {"no"};
    c.s.planning.question_from = 0;
    c.refuse_what_is_said(lkt::validate_step);
    CHECK(lkt::validate_step(c.s, c.tools).has_value());
    CHECK(c.s.planning.past.back().validated);
    CHECK(says(c.llm.taken(0)[1].text, numbered(12)));
    CHECK(c.llm.taken(0).size() == 4);
    c.s.planning.question_from = 0;
    c.s.planning.exchanges.resize(2);
    c.refuse_what_is_said(lkt::break_down);
    CHECK(lkt::break_down(c.s, c.tools).has_value());
    CHECK(says(c.llm.taken(1)[1].text, numbered(12)));
    CHECK(c.llm.refused.size() == 2);
}

TEST_CASE("A gate is told of the last steps, and of its last unclear answer") {
    narrow_scene<lkt::explicit_state> c(
        {R"({"should_run": true, "why": "x", "already_there": null})"});
    CHECK(lkt::select_step(c.s) == lkt::selection::gated);
    c.remember(12);
    c.s.ledger.gate_attempts = {{"first", {"no"}}, {"second", {"not that either"}}};
    c.refuse_what_is_said(lkt::ask_gate);
    CHECK(lkt::ask_gate(c.s, c.tools).value() == lkt::gated::yes);
    auto const told = c.llm.taken(0);
    REQUIRE(c.llm.refused.size() == 1);
    CHECK(c.llm.refused[0].size() == 6);
    REQUIRE(told.size() == 4);
    CHECK(says(told[1].text, c.s.step));
    CHECK(says(told[1].text, "7 earlier steps are left out here"));
    CHECK_FALSE(says(told[1].text, "attempt at step 7 "));
    CHECK(says(told[1].text, "attempt at step 8 "));
    CHECK(told[2].text == "second");
    CHECK(says(told[3].text, "not that either"));
    CHECK(notes_on_length(c.s.notes) == 1);
    CHECK(c.s.ledger.gate_attempts.size() == 2);
}

TEST_CASE("A judge is told of the last steps, and shown the last rewrite in part") {
    narrow_scene<lkt::tuning_state> c({R"({"bottleneck": "B.", "fix": "F.", "why": "W."})"});
    c.remember(12);
    c.s.history.back().proposal.source.text = "__global__ void begins" + padding(9000) + "ends";
    c.refuse_what_is_said(lkt::advise);
    CHECK(lkt::advise(c.s, c.tools).value() == lkt::advised::fix);
    auto const told = c.llm.taken(0)[1].text;
    CHECK(says(told, "7 earlier steps are left out here"));
    CHECK(says(told, "void begins"));
    CHECK(says(told, "ends\n"));
    CHECK(says(told, "bytes left out"));
    CHECK(told.size() + 10'000 < c.llm.refused.at(0)[1].text.size() + 3000);
    CHECK(c.s.history.back().proposal.source.text.size() > 9000);
    CHECK(notes_on_length(c.s.notes) == 1);
}

TEST_CASE("A judge whose own answers made it too long is silent, and its answers are paid for") {
    narrow_scene<lkt::tuning_state> c({padding(9000), padding(9000)});
    c.refuse_what_is_said(lkt::advise);
    c.llm.most += 1;
    CHECK(lkt::advise(c.s, c.tools).value() == lkt::advised::silent);
    CHECK(c.s.usage.calls == 1);
    CHECK(c.llm.refused.size() == 1);
    REQUIRE_FALSE(c.s.notes.empty());
    CHECK(says(c.s.notes.back(), "the judge named no change"));
}

TEST_CASE("A rewrite is asked for with the last attempt and the last steps") {
    narrow_scene<lkt::tuning_state> c({code("quick")});
    c.remember(14);
    for (char const* reply : {"first", "second"})
        c.s.attempts.push_back({reply, lkt::failure(lkt::no_code{"nothing"}), {}});
    c.refuse_what_is_said(lkt::propose);
    CHECK(lkt::propose(c.s, c.tools).value() == lkt::answer::code);
    auto const told = c.llm.taken(0);
    REQUIRE(told.size() == 4);
    CHECK(says(told[1].text, "7 earlier steps are left out here"));
    CHECK(told[2].text == "second");
    CHECK(says(told[3].text, "1 earlier attempt is left out here"));
    CHECK(notes_on_length(c.s.history.back().notes) == 1);
    CHECK(c.s.attempts.size() == 2);
}

TEST_CASE("Of proposals, those whose requests are too long are asked again, the others once") {
    constexpr lkt::ask_batch_fn<uneven> ask;
    narrow_scene<lkt::batch_state> c({code("a"), code("b"), code("c"), code("d"), code("e")});
    c.llm.most = 600;
    c.s.batch = {{.parent = 0}, {.parent = 5}, {.parent = 1}, {.parent = 6}};
    CHECK(ask(c.s, c.tools).value() == lkt::asked::all);
    CHECK(c.llm.refused.size() == 2);
    auto const requests = c.llm.script.requests();
    REQUIRE(requests.size() == 4);
    CHECK(requests[2].messages[0].text == "for parent 5 alone");
    CHECK(requests[2].seed == 2); // its own
    CHECK(requests[3].messages[0].text == "for parent 6 alone");
    REQUIRE(c.s.history.size() == 4);
    CHECK(notes_on_length(c.s.history[0].notes) == 0);
    CHECK(notes_on_length(c.s.history[1].notes) == 1);
    CHECK(says(c.s.history[1].reply, "// c"));
    CHECK(notes_on_length(c.s.history[3].notes) == 1);
    CHECK(c.s.usage.calls == 4);

    // Where that is no help either, the proposal is dropped, and its like are not.
    c.llm.most = 8;
    c.s.batch = {{.parent = 9}, {.parent = 0}};
    auto const end = ask(c.s, c.tools);
    REQUIRE(end.has_value());
    REQUIRE(c.s.batch.size() == 1);
    CHECK(c.s.batch[0].parent == 0);
    CHECK(says(c.s.notes.back(), "only the latest attempts and steps"));
}

TEST_CASE("A variation is asked for without the other kernels where these are too much") {
    lkt::evolve_state s;
    fake_gpu gpu{by_remark};
    lkt::scripted_model nobody{};
    bare_tools tools{gpu, nobody};
    static_cast<lkt::tuning_state&>(s) = prepared_state(tunable_problem(), tools);
    for (int k = 0; k < 3; ++k) s.archive.push_back({s.best, {}, 0});
    s.archive[2].kernel.kernel.source.text += "// an inspiration";
    s.offspring_requests.push_back({0, {1, 2}});
    s.batch.emplace_back();
    using task = lkt::detail::vary<lkt::default_variation_prompts>;
    auto const said = [&](lkt::recall how) {
        return task::turns(s, s.batch[0], lkt::default_prompts{}, how).back().text;
    };
    CHECK(says(said(lkt::recall::all), "// an inspiration"));
    CHECK_FALSE(says(said(lkt::recall::latest), "// an inspiration"));
    CHECK_FALSE(says(said(lkt::recall::latest), "Other kernels"));
    s.batch[0].patch = true; // how one is written is still said
    CHECK(says(said(lkt::recall::latest), "SEARCH"));
}

TEST_CASE("A conversation about tests goes on with its question and the last answer") {
    test::fake_backend gpu;
    gpu.kernels[twice_text] = [](test::fake_launch& l) -> std::optional<lkt::failure> {
        auto const n = static_cast<std::size_t>(l.get<int>(2));
        if (n > l.arguments[0].count() || n > l.arguments[1].count())
            return lkt::crashed{"segmentation fault", {}};
        for (std::size_t i = 0; i < n; ++i) l.set<float>(1, i, 2 * l.get<float>(0, i));
        return std::nullopt;
    };
    std::string const wordy = padding(8000);
    narrow_model llm(
        4500, {wordy + "1", wordy + "2", fenced_json(good_description), fenced_json(good_tests)});
    struct {
        test::fake_backend& gpu;
        narrow_model& llm;
    } tools{gpu, llm};
    lkt::declaration_log log;
    auto const made = lkt::declare_tests(open_draft(), log, tools, {});
    REQUIRE_MESSAGE(made.has_value(), to_string(made.error()));
    CHECK(log.attempts.size() == 4);
    REQUIRE(llm.refused.size() == 2);
    CHECK(llm.refused[0].size() == 6);
    auto const told = llm.taken(2);
    REQUIRE(told.size() == 4);
    CHECK(told[0] == llm.refused[0][0]);
    CHECK(told[1] == llm.refused[0][1]);
    CHECK(told[2].text == wordy + "2");
    CHECK(says(told[3].text, "1 earlier answer is left out here"));
    // The question that is settled is left out of the next one's conversation.
    CHECK(llm.refused[1].size() == 8);
    auto const next = llm.taken(3);
    REQUIRE(next.size() == 2);
    CHECK(next[0] == told[0]);
    CHECK(next[1] == llm.refused[1][7]);
}
