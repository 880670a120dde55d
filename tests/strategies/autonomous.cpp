// SPDX-License-Identifier: BSL-1.0
#include <lkt/strategies/autonomous.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/run.hpp>
#include <lkt/store/checkpoint.hpp>
#include <lkt/store/journal.hpp>
#include <lkt/store/journal_memory.hpp>
#include <lkt/strategies/repeated.hpp>

#include "../support/planning.hpp"
#include "../support/run_strategy.hpp"

#include <string>
#include <type_traits>
#include <vector>

using namespace lkt_test;

namespace {

using plain = lkt::autonomous<>;
using dividing = lkt::autonomous<lkt::autonomous_knobs{.breakdown = true}>;
using once = lkt::autonomous<lkt::autonomous_knobs{.replanning = false}>;
using bare = lkt::autonomous<lkt::autonomous_knobs{.validation = false, .replanning = false}>;

using ends = std::vector<lkt::step_end>;
using enum lkt::step_end;

template <class Strategy>
constexpr bool has_node(std::string_view name) {
    for (std::string_view const one : decltype(Strategy::graph)::names)
        if (one == name) return true;
    return false;
}

} // namespace

// Steps that are switched off are not in the graph.
static_assert(decltype(dividing::graph)::size == 12);
static_assert(decltype(plain::graph)::size == 11 && !has_node<plain>("break_down"));
static_assert(decltype(once::graph)::size == 9 && !has_node<once>("replan"));
static_assert(decltype(bare::graph)::size == 8 && !has_node<bare>("validate"));
static_assert(has_node<dividing>("plan") && has_node<dividing>("next_step") &&
              has_node<dividing>("validate") && has_node<dividing>("break_down") &&
              has_node<dividing>("apply") && has_node<dividing>("replan"));
static_assert(
    std::is_same_v<lkt::outcome_of<plain>, std::variant<lkt::tuned, lkt::unchanged, lkt::gave_up>>);

TEST_CASE("Steps are planned, validated, applied and settled, and planned again") {
    planning_scene c({steps({"one thing", "compile with -O3", "another thing"}),
                      is_valid,
                      code("quick"),
                      is_invalid,
                      is_valid,
                      code("broken"),
                      code("wrong"),
                      code("broken again"),
                      replanned({"a third thing"}),
                      is_valid,
                      code("slow"),
                      no_replan});
    CHECK(ended_in<lkt::tuned>(lkt::run<plain>(c.s, c.tools)));
    CHECK(c.llm.left() == 0);
    CHECK(c.ends() == ends{applied, invalid, failed, no_gain});
    CHECK(c.s.planning.past[1].why == "It needs host code.");
    CHECK(says(c.s.planning.past[2].why, "2:1: error: no"));
    CHECK(c.s.planning.past[2].records == 3);
    CHECK(c.s.best.kernel.source.text == changed_text("quick"));
    REQUIRE(c.s.history.size() == 5);
    CHECK(c.s.history[0].step == "Step 1: one thing");
    CHECK(c.s.history[3].step == "Step 3: another thing");
    CHECK(c.s.history[4].step == "Step 4: a third thing (replan 1)");
    CHECK(c.s.usage.calls == 12);
    CHECK(c.s.planning.replans == 1);
    CHECK(c.s.step.empty());

    // What is asked of whom: the agent its step, the validator the kernel as it stands by then.
    CHECK(says(c.asked(2)[1].text, "Step 1: one thing"));
    CHECK(says(c.asked(3)[1].text, "compile with -O3"));
    CHECK(says(c.asked(3)[1].text, "// quick"));
    CHECK_FALSE(says(c.asked(1)[1].text, "// quick"));
    // The replanner knows what every step came to, and tells them apart.
    std::string const replan = c.asked(8)[1].text;
    CHECK(says(replan, "// quick"));
    CHECK(says(replan, "Step 1: one thing: accepted, 1.0"));
    CHECK(says(replan, "Step 2: compile with -O3: invalid, not tried: It needs host code."));
    CHECK(says(replan, "Step 3: another thing: failed (after 3 attempts)"));
}

TEST_CASE("The planner sees the device, what was measured, and the sizes") {
    planning_scene c({steps({})});
    CHECK(ended_in<lkt::gave_up>(lkt::run<plain>(c.s, c.tools)));
    CHECK(any_says(c.s.notes, "the model planned no steps"));
    auto const turns = c.asked(0);
    REQUIRE(turns.size() == 2);
    CHECK(says(turns[0].text, "Fake 1"));
    CHECK(says(turns[0].text, "multiprocessors: 4"));
    CHECK(says(turns[1].text, "timed: N=64"));
    CHECK(says(turns[1].text, "this kernel: 1"));
    CHECK(says(turns[1].text, "blockIdx.x * blockDim.x"));
    CHECK(says(turns[1].text, "at most 10 steps"));
}

TEST_CASE("A planner without a usable answer ends the run with the original, and a reason") {
    // LLM-Kernel-Tuner indexes the empty plan.
    planning_scene c({nonsense, "{\"steps\": 3}", nonsense, code("quick")});
    CHECK(ended_in<lkt::gave_up>(lkt::run<plain>(c.s, c.tools)));
    CHECK(c.calls() == 3);
    CHECK(c.s.best.kernel.source.text == original_text);
    CHECK(any_says(c.s.notes, "the question \"plan\" could not be used"));
    // Each answer went back with what is wrong with it.
    auto const last = c.asked(2);
    REQUIRE(last.size() == 6);
    CHECK(last[2].text == nonsense);
    CHECK(says(last[5].text, "steps"));
}

TEST_CASE("A validator without a usable answer has nothing against the step at hand") {
    // LLM-Kernel-Tuner: no flag at the first step, the one of the step before at the others.
    planning_scene first({steps({"one"}), nonsense, nonsense, nonsense, code("quick"), no_replan});
    CHECK(ended_in<lkt::tuned>(lkt::run<plain>(first.s, first.tools)));
    CHECK(first.ends() == ends{applied});
    CHECK_FALSE(first.s.planning.past[0].validated);

    planning_scene later({steps({"one", "two"}),
                          is_invalid,
                          nonsense,
                          nonsense,
                          nonsense,
                          code("quick"),
                          no_replan});
    CHECK(ended_in<lkt::tuned>(lkt::run<plain>(later.s, later.tools)));
    CHECK(later.ends() == ends{invalid, applied});
    // The second validation began anew, and its retries differ from its first question.
    CHECK(later.asked(2).size() == 2);
    CHECK(later.asked(3).size() == 4);
    CHECK(later.asked(6).size() == 2); // and the replanner knows of neither
}

TEST_CASE("A breakdown without a usable answer leaves the step whole") {
    planning_scene c({steps({"one"}),
                      is_valid,
                      nonsense,
                      R"({"break_down": true, "steps": ["one"]})",
                      nonsense,
                      code("quick"),
                      no_replan});
    CHECK(ended_in<lkt::tuned>(lkt::run<dividing>(c.s, c.tools)));
    CHECK(c.ends() == ends{applied});
    CHECK(says(c.asked(4).back().text, "fewer than two"));
}

TEST_CASE("A replanner without a usable answer ends the run with what it has") {
    planning_scene c({steps({"one"}), is_valid, code("quick"), nonsense, nonsense, nonsense});
    CHECK(ended_in<lkt::tuned>(lkt::run<plain>(c.s, c.tools)));
    CHECK(c.llm.left() == 0);

    planning_scene none({steps({"one"}), is_invalid, nonsense, nonsense, nonsense});
    CHECK(ended_in<lkt::gave_up>(lkt::run<plain>(none.s, none.tools)));
    CHECK(any_says(none.s.notes, "the question \"replan\" could not be used"));
}

TEST_CASE("After a last step that failed the replanner gets its own question") {
    // LLM-Kernel-Tuner sends the failed conversation once more, and never the question.
    planning_scene c(
        {steps({"one"}), is_valid, code("wrong"), code("wrong 2"), code("wrong 3"), no_replan});
    CHECK(ended_in<lkt::gave_up>(lkt::run<plain>(c.s, c.tools)));
    auto const turns = c.asked(5);
    REQUIRE(turns.size() == 2);
    CHECK(says(turns[1].text, "The plan is finished"));
    CHECK_FALSE(says(turns[1].text, "// wrong"));
    CHECK(c.llm.requests()[5].format.has_value());
}

TEST_CASE("Another plan without a step ends the run") {
    // LLM-Kernel-Tuner burns one of its replans, and asks again.
    planning_scene c({steps({"one"}), is_invalid, replanned({}), replanned({"two"})});
    CHECK(ended_in<lkt::gave_up>(lkt::run<plain>(c.s, c.tools)));
    CHECK(c.llm.left() == 1);
    CHECK(c.s.planning.replans == 0);
}

TEST_CASE("A kernel that comes back as it was is not tuned again") {
    planning_scene c({steps({"one"}), is_valid, reply_with(original_text), no_replan});
    auto const launches = c.gpu.log.size();
    CHECK(ended_in<lkt::unchanged>(lkt::run<plain>(c.s, c.tools)));
    CHECK(c.gpu.log.size() == launches);
    CHECK(c.ends() == ends{not_applicable});
    CHECK(says(c.asked(3)[1].text, "not applicable"));
}

TEST_CASE("Parameters that nobody has tried yet are tuned in a kernel that comes back as it was") {
    planning_scene c({steps({"one", "two"}),
                      is_valid,
                      reply_with(original_text),
                      is_valid,
                      reply_with(original_text),
                      no_replan},
                     tunable_problem());
    CHECK(ended_in<lkt::unchanged>(lkt::run<plain>(c.s, c.tools)));
    REQUIRE(c.s.history.size() == 2);
    CHECK(c.s.history[0].configurations.size() == 3);
    CHECK(c.s.history[1].configurations.empty()); // once is enough
}

TEST_CASE("The parameters of a rejected kernel do not stay") {
    planning_scene c({steps({"one", "two"}),
                      is_valid,
                      reply_with("// slow TILE\nstruct slow_tile;\n" + original_text,
                                 R"j({"parameters": {"TILE": [1]},
                        "launch": {"grid": ["ceil_div(N, 32 * TILE)"], "block": [32]}})j"),
                      is_valid,
                      code("quick"),
                      no_replan});
    CHECK(ended_in<lkt::tuned>(lkt::run<plain>(c.s, c.tools)));
    CHECK(c.ends() == ends{no_gain, applied});
    REQUIRE(c.s.history[0].proposal.parameters.size() == 1);
    CHECK(c.s.best.kernel.parameters.empty());
    CHECK(c.s.best.kernel.launch == twice_problem().launch);
    CHECK_FALSE(says(c.asked(4)[1].text, "`TILE`"));
}

TEST_CASE("A step is broken down, in levels and lengths that are bounded") {
    planning_scene c({steps({"big", "last"}),
                      is_valid,
                      divided({"half", "other half"}),
                      is_valid, // parts are not broken down again
                      code("quick"),
                      is_valid,
                      code("quicker"),
                      is_invalid,
                      no_replan});
    CHECK(ended_in<lkt::tuned>(lkt::run<dividing>(c.s, c.tools)));
    CHECK(c.llm.left() == 0);
    CHECK(c.ends() == ends{broken_down, applied, applied, invalid});
    CHECK(c.s.history[0].step == "Step 2: half (breakdown level 1)");
    CHECK(c.s.planning.past[3].step.text == "last");

    // A plan without room for two parts asks nobody.
    planning_scene full({steps({"a", "b"}), is_valid, code("quick"), is_invalid, no_replan});
    full.s.planning.limits.plan_length = 2;
    CHECK(ended_in<lkt::tuned>(lkt::run<dividing>(full.s, full.tools)));
    CHECK(full.llm.left() == 0);
    CHECK(full.ends() == ends{applied, invalid});
}

TEST_CASE("Steps that were tried before are left out, and a plan of nothing else is told so") {
    planning_scene c({steps({"Use shared memory.", "use  shared memory", ""}),
                      is_valid,
                      code("wrong"),
                      code("wrong"),
                      code("wrong"),
                      replanned({"use shared\\nmemory"}),
                      replanned({"Use shared memory!", "unroll"}),
                      is_invalid,
                      no_replan});
    CHECK(ended_in<lkt::gave_up>(lkt::run<plain>(c.s, c.tools)));
    CHECK(c.llm.left() == 0);
    CHECK(c.ends() == ends{failed, invalid});
    CHECK(says(c.asked(6).back().text, "\"use shared memory\" was step 1 (failed)"));
    CHECK(any_says(c.s.notes, "left out of a plan"));
}

TEST_CASE("Plans are bounded in length, and runs in steps") {
    constexpr plain short_one{.limits = {.plan_length = 2, .max_steps = 2}};
    planning_scene c({steps({"a", "b", "c"}), is_invalid, is_invalid});
    CHECK(ended_in<lkt::gave_up>(run_strategy(short_one, c.s, c.tools)));
    CHECK(c.ends() == ends{invalid, invalid});
    CHECK(any_says(c.s.notes, "a plan had 3 steps; the first 2 were taken"));
}

TEST_CASE("Limits are those of the state") {
    planning_scene c({steps({"a", "b"}), nonsense, nonsense, code("wrong"), code("wrong")});
    c.s.per_step.attempts = 2;
    c.s.planning.limits.plan_length = 1;
    c.s.planning.limits.max_replans = 0;
    CHECK(ended_in<lkt::gave_up>(lkt::run<plain>(c.s, c.tools)));
    CHECK(c.llm.left() == 0);
    CHECK(c.s.planning.past.size() == 1);
}

TEST_CASE("Failures that may pass are retried without using up an answer") {
    lkt::error const busy{lkt::condition::transient, "x", "overloaded", {}};
    using at_once = lkt::autonomous<lkt::autonomous_knobs{},
                                    lkt::default_prompts,
                                    lkt::default_planning_prompts,
                                    lkt::backoff{.first_ms = 0}>;
    constexpr at_once quick_retry{.per_step = {.attempts = 1}};
    planning_scene c(
        {busy, busy, steps({"a"}), busy, is_valid, busy, code("quick"), busy, no_replan});
    CHECK(ended_in<lkt::tuned>(run_strategy(quick_retry, c.s, c.tools)));
    CHECK(c.s.planning.exchanges.size() == 3);
}

TEST_CASE("A run that failed goes on where it stood, with the answers that it had") {
    lkt::error const gone{lkt::condition::unavailable, "x", "no such model", {}};
    planning_scene c(
        {nonsense, gone, steps({"a"}), is_valid, code("wrong"), gone, code("quick"), no_replan});
    lkt::cursor<plain> at;
    REQUIRE(lkt::run<plain>(c.s, c.tools, at).has_error());
    CHECK(c.s.planning.exchanges.size() == 1);
    REQUIRE(lkt::run<plain>(c.s, c.tools, at).has_error());
    CHECK(c.asked(2).size() == 4); // the unusable answer is remembered
    CHECK(ended_in<lkt::tuned>(lkt::run<plain>(c.s, c.tools, at)));
    CHECK(c.llm.left() == 0);
}

TEST_CASE("A run that dies at any question goes on from its journal, and asks none twice") {
    std::vector<lkt::scripted_turn> const turns{steps({"a", "b", "c"}),
                                                is_valid,
                                                stays_whole,
                                                code("quick"),
                                                nonsense,
                                                is_valid,
                                                divided({"b1", "b2"}),
                                                is_invalid,
                                                is_valid,
                                                code("wrong"),
                                                code("slow"),
                                                nonsense,
                                                is_invalid,
                                                replanned({"d"}),
                                                is_valid,
                                                stays_whole,
                                                code("quicker"),
                                                no_replan};
    planning_scene whole_run(turns);
    REQUIRE(ended_in<lkt::tuned>(lkt::run<dividing>(whole_run.s, whole_run.tools)));
    CHECK(whole_run.ends() == ends{applied, broken_down, invalid, no_gain, invalid, applied});
    for (std::size_t dies = 0; dies < turns.size(); ++dies) {
        CAPTURE(dies);
        auto const death = turns.begin() + static_cast<std::ptrdiff_t>(dies);
        planning_scene before({turns.begin(), death}), after({death, turns.end()});
        lkt::journal_memory bytes;
        {
            auto journal = lkt::journal::over(bytes).value();
            lkt::checkpoint keep(journal);
            lkt::cursor<dividing> at;
            REQUIRE(lkt::run<dividing>(before.s, before.tools, at, keep).has_error());
        }
        auto journal = lkt::journal::over(bytes).value();
        lkt::cursor<dividing> at;
        REQUIRE(lkt::resume<dividing>(journal, after.s, at).has_value());
        CHECK(ended_in<lkt::tuned>(lkt::run<dividing>(after.s, after.tools, at)));
        CHECK(after.llm.left() == 0);
        CHECK(after.ends() == whole_run.ends());
        CHECK(after.s.best.kernel == whole_run.s.best.kernel);
        CHECK(after.s.usage.calls == whole_run.s.usage.calls);
        // What was asked next is what would have been.
        CHECK(after.asked(0).size() == whole_run.asked(dies).size());
    }
}

TEST_CASE("Rounds know what was tried before, and end when one brings nothing") {
    planning_scene c({steps({"a"}),
                      is_valid,
                      code("quick"),
                      no_replan,
                      steps({"a", "b"}),
                      is_invalid,
                      no_replan,
                      steps({"c"})});
    constexpr lkt::repeated<plain> again{.limits = {.rounds = 5}};
    lkt::repeated<plain>::state s{c.s, {}};
    CHECK(ended_in<lkt::tuned>(run_strategy(again, s, c.tools)));
    c.s = s;
    CHECK(c.llm.left() == 1);
    CHECK(c.ends() == ends{applied, invalid});
    CHECK(says(c.asked(4)[1].text, "Step 1: a: accepted"));
}

namespace {

/// Answers nothing that anybody could use, or plans well and then answers nothing else.
struct tiresome_model {
    int calls = 0;
    bool plans = false;
    int planned = 0;

    lkt::result<lkt::chat_reply> complete(lkt::chat_request const& r, lkt::call_context const&) {
        ++calls;
        lkt::chat_reply reply;
        reply.text = nonsense;
        if (plans && r.format && says(r.format->schema, "steps") &&
            !says(r.format->schema, "break_down")) {
            std::string list;
            for (int i = 0; i < 12; ++i)
                list += (i ? ", \"step " : "\"step ") + std::to_string(planned++) + "\"";
            reply.text = "{\"steps\": [" + list + "]" +
                         (says(r.format->schema, "replan") ? ", \"replan\": true}" : "}");
        }
        return reply;
    }
};

template <lkt::autonomous_knobs K>
void expect_bounded(lkt::autonomous<K> const& strategy = {}) {
    fake_gpu gpu{by_remark};
    for (bool const plans : {false, true}) {
        tiresome_model llm{0, plans};
        bare_tools<fake_gpu, tiresome_model> tools{gpu, llm};
        lkt::planning_state s;
        static_cast<lkt::tuning_state&>(s) = prepared_state(twice_problem(), tools);
        auto const end = run_strategy(strategy, s, tools);
        CHECK(ended_in<lkt::gave_up>(end));
        CHECK(s.best.kernel.source.text == original_text);
        CHECK(any_says(s.notes, "the kernel stays unchanged: "));
        int const a = strategy.per_step.attempts;
        int const asked = 1 + (K.validation ? 1 : 0) + (K.breakdown ? 1 : 0);
        if (!plans)
            CHECK(llm.calls == a);
        else
            // Nonsense has no parameters to fix: the agent's attempts are all there is.
            CHECK(llm.calls <= a * (1 + strategy.limits.max_steps * asked +
                                    (K.replanning ? strategy.limits.max_replans : 0)));
        CHECK(s.usage.calls == llm.calls);
    }
}

} // namespace

TEST_CASE(
    "Whatever is switched on, a model that answers nonsense costs a bounded number of calls") {
    using knobs = lkt::autonomous_knobs;
    expect_bounded<knobs{}>();
    expect_bounded<knobs{.breakdown = true}>();
    expect_bounded<knobs{.replanning = false}>();
    expect_bounded<knobs{.replanning = false, .breakdown = true}>();
    expect_bounded<knobs{.validation = false}>();
    expect_bounded<knobs{.validation = false, .breakdown = true}>();
    expect_bounded<knobs{.validation = false, .replanning = false}>();
    expect_bounded<knobs{.validation = false, .replanning = false, .breakdown = true}>();
    expect_bounded<knobs{.breakdown = true}>(
        {.limits = {.max_steps = 7}, .per_step = {.attempts = 1}});
}
