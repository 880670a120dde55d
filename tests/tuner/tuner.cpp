// SPDX-License-Identifier: BSL-1.0
#include <lkt/tuner/tuner.hpp>

#include <doctest/doctest.h>

#include <lkt/llm/cassette.hpp>
#include <lkt/llm/scripted.hpp>
#include <lkt/strategies/one_prompt.hpp>
#include <lkt/strategies/repeated.hpp>
#include <lkt/strategies/sweep.hpp>

#include "../nodes/declaration_support.hpp"
#include "../support/fake_gpu.hpp"

#include <algorithm>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

using namespace lkt_test;

namespace {

behaviour by_remark(std::string const& text, lkt::configuration const&) {
    behaviour b;
    if (text.find("wrong") != std::string::npos) b.wrong = true;
    if (text.find("quick") != std::string::npos) b.time = lkt::seconds(0.25e-3);
    return b;
}

lkt::scripted_turn turn(char const* remark) { return reply_with(changed_text(remark)); }

/// Cannot be copied; says where its replies come from.
struct recorded_replies {
    std::unique_ptr<lkt::scripted_model> inner;
    lkt::result<lkt::chat_reply> complete(lkt::chat_request const& r, lkt::call_context const& x) {
        return inner->complete(r, x);
    }
    struct header_type {
        lkt::cassette_origin origin = lkt::cassette_origin::recorded;
    };
    header_type header() const { return {}; }
    std::string description() const { return "recorded replies of m1"; }
};

struct names_seen {
    std::vector<std::string> names;
    void on_enter(lkt::node_event const& e) { names.emplace_back(e.node); }
};

/// A state with more than the library's, and terminals of its own.
struct my_state : lkt::tuning_state {
    int rounds = 0;
};
struct finished {};
inline constexpr auto count_round = [](my_state& s) -> void { ++s.rounds; };
struct my_strategy {
    static constexpr auto graph =
        lkt::graph<my_state>(lkt::dsl::node<count_round>(lkt::dsl::to(lkt::dsl::stop<finished>)));
};
static_assert(lkt::tuning_strategy<my_strategy>);

/// Uses what only this back end has.
inline constexpr auto write_log = []<lkt::tools_with_gpu Tools>(my_state&, Tools& tools) -> void {
    tools.gpu.template target<fake_gpu>()->log.push_back("from a node");
};
struct logging_strategy {
    static constexpr auto graph =
        lkt::graph<my_state>(lkt::dsl::node<write_log>(lkt::dsl::to(lkt::dsl::stop<finished>)));
};
static_assert(!lkt::tuning_strategy<my_state>);
static_assert(!lkt::tuning_strategy<int>);

} // namespace

TEST_CASE("A run returns kernel, times, history, terminal, usage and where the replies came from") {
    fake_gpu gpu(by_remark);
    lkt::chat_reply second;
    second.text = reply_with(changed_text("quick"), R"j({"description": "half the work"})j");
    second.model = "m2";
    second.usage = {300, 40};
    lkt::scripted_model llm{turn("wrong"), second};
    names_seen seen;
    auto const outcome = lkt::tuner{gpu, llm, lkt::one_prompt<>{}}.tune(twice_problem(), {}, seen);
    REQUIRE(outcome.has_value());
    CHECK(outcome->terminal == "tuned");
    REQUIRE(outcome->reached.has_value());
    CHECK(std::holds_alternative<lkt::tuned>(*outcome->reached));
    CHECK_FALSE(outcome->stopped_by.has_value());
    CHECK(outcome->improved());
    CHECK(outcome->confirmed);
    CHECK(outcome->speedup() == doctest::Approx(4).epsilon(0.02));
    CHECK(outcome->best.kernel.source.text == changed_text("quick"));
    CHECK(outcome->best.kernel.description == "half the work");
    CHECK(outcome->baseline.kernel.source.text == original_text);
    CHECK(outcome->history.size() == 2);
    CHECK(outcome->usage.calls == 2);
    CHECK(outcome->usage.tokens == lkt::token_usage{300, 40});
    CHECK(outcome->model.name == "scripted, m2");
    CHECK(outcome->model.origin == "live");
    CHECK(outcome->strategy == "one_prompt");
    CHECK(outcome->tests.size() >= 2);
    CHECK(outcome->device.name == "Fake 1");
    CHECK(outcome->wall_time.count() > 0);
    CHECK(seen.names == std::vector<std::string>{"is_described",
                                                 "is_declared",
                                                 "take_problem",
                                                 "make_tests",
                                                 "run_reference",
                                                 "is_written",
                                                 "time_baseline",
                                                 "one_prompt",
                                                 "begin_step",
                                                 "propose",
                                                 "evaluate",
                                                 "propose",
                                                 "evaluate",
                                                 "confirm"});
}

TEST_CASE("A model is asked for what is open of a problem; without one that is an error") {
    fake_gpu gpu(by_remark);
    lkt::chat_reply purpose;
    purpose.text = "It doubles.";
    lkt::chat_reply declared;
    declared.text = fenced_json(good_description);
    lkt::scripted_model llm{purpose, declared, turn("quick")};
    lkt::tune_options options;
    options.describe = true;
    auto const outcome = lkt::tuner{gpu, llm, lkt::one_prompt<>{}}.tune(open_draft(), options);
    REQUIRE(outcome.has_value());
    CHECK(outcome->terminal == "tuned");
    CHECK(outcome->task.notes.find("It doubles.") != std::string::npos);
    CHECK(outcome->task.size[0].second == 96);
    CHECK(outcome->declared.attempts.size() == 1);
    CHECK(outcome->usage.calls == 3);

    auto const open = lkt::tuner{gpu, lkt::sweep<>{}}.tune(open_draft());
    REQUIRE(open.has_error());
    CHECK(open.error().code == "lkt.tuner.open");
    CHECK(open.error().message == "the problem does not give: the problem sizes, x, y, n");
}

TEST_CASE("Whatever ends a run early, the best kernel so far and the reason come back") {
    fake_gpu gpu(by_remark);
    lkt::error const gone{lkt::condition::unavailable, "x.gone", "the model went away", {}};
    lkt::scripted_model llm{turn("quick"), gone};
    auto const outcome =
        lkt::tuner{gpu, llm, lkt::repeated<lkt::one_prompt<>>{}}.tune(twice_problem());
    REQUIRE(outcome.has_value());
    REQUIRE(outcome->stopped_by.has_value());
    CHECK(outcome->stopped_by->code == "x.gone");
    CHECK_FALSE(outcome->reached.has_value());
    CHECK(outcome->terminal.empty());
    CHECK(outcome->improved());
    CHECK(outcome->confirmed);
    CHECK(outcome->best.kernel.source.text == changed_text("quick"));

    lkt::scripted_model nobody_home{gone};
    auto const none = lkt::tuner{gpu, nobody_home, lkt::one_prompt<>{}}.tune(twice_problem());
    REQUIRE(none.has_value());
    CHECK(none->stopped_by.has_value());
    CHECK_FALSE(none->improved());
    CHECK(none->speedup() == 1);
    CHECK(none->best.kernel.source.text == original_text);
}

TEST_CASE("A stop request and a budget end a run the same way") {
    fake_gpu gpu(by_remark);
    std::stop_source source;
    lkt::scripted_model llm{turn("quick"), turn("wrong")};
    lkt::tune_options options;
    options.stop = source.get_token();
    options.on_progress = [&](lkt::progress_event const& e) {
        if (e.what == lkt::activity::asking_model && e.model_calls == 1) source.request_stop();
    };
    lkt::tuner tuner{gpu, llm, lkt::repeated<lkt::one_prompt<>>{}};
    auto const stopped = tuner.tune(twice_problem(), options);
    REQUIRE(stopped.has_value());
    REQUIRE(stopped->stopped_by.has_value());
    CHECK(stopped->stopped_by->kind == lkt::condition::cancelled);
    CHECK(stopped->stopped_by->message == "the run was interrupted"); // not: a reply was cancelled
    CHECK(stopped->improved());
    CHECK_FALSE(stopped->confirmed); // stopped means stopped

    lkt::scripted_model more{turn("wrong"), turn("wrong"), turn("quick")};
    lkt::tune_options thrifty;
    thrifty.budget.model_calls = 2;
    auto const poor = lkt::tuner{gpu, more, lkt::one_prompt<>{}}.tune(twice_problem(), thrifty);
    REQUIRE(poor.has_value());
    REQUIRE(poor->stopped_by.has_value());
    CHECK(poor->stopped_by->kind == lkt::condition::exhausted);
    CHECK(poor->history.size() == 2);
}

TEST_CASE("An original that does not work is an error, and so is a kernel that is not found") {
    fake_gpu gpu([](std::string const&, lkt::configuration const&) {
        behaviour b;
        b.wrong = false;
        b.run = lkt::failure(lkt::crashed{"segmentation fault at address 0x0", {3, 0}});
        return b;
    });
    lkt::tuner tuner{gpu, lkt::sweep<>{}};
    auto const failed = tuner.tune(twice_problem());
    REQUIRE(failed.has_error());
    CHECK(failed.error().message.find("segmentation fault") != std::string::npos);

    auto const missing = tuner.tune(lkt::kernel_source{lkt::language::cuda, "int x;", "x.cu"},
                                    lkt::kernel_options{});
    REQUIRE(missing.has_error());
    CHECK(missing.error().kind == lkt::condition::rejected);
}

TEST_CASE("Temporaries are moved in, lvalues are referred to, and a model may be absent") {
    auto quick = [](std::string const&, lkt::configuration const& c) {
        behaviour b;
        if (integer(c, "BLOCK") == 64) b.time = lkt::seconds(0.5e-3);
        return b;
    };
    auto const swept = lkt::tuner{fake_gpu{quick}, lkt::sweep<>{}}.tune(tunable_problem());
    REQUIRE(swept.has_value());
    CHECK(integer(swept->best.config, "BLOCK") == 64);
    CHECK(swept->usage.calls == 0);
    CHECK(swept->model.name.empty());

    recorded_replies moved{std::make_unique<lkt::scripted_model>(
        std::initializer_list<lkt::scripted_turn>{turn("quick")})};
    fake_gpu gpu(by_remark);
    auto const replayed =
        lkt::tuner{gpu, std::move(moved), lkt::one_prompt<>{}}.tune(twice_problem());
    REQUIRE(replayed.has_value());
    CHECK(replayed->model.origin == "recorded");
    CHECK(replayed->model.remark == "recorded replies of m1");
    CHECK(gpu.log.size() > 1); // the lvalue was used, not a copy
}

TEST_CASE("Parts of the options build, time and decide in a run") {
    struct never_a_gain : lkt::disjoint_intervals {
        bool is_gain(lkt::measurement const&,
                     lkt::measurement const&,
                     lkt::evaluation_options const&) const {
            return false;
        }
    } const decision;
    fake_gpu gpu([](std::string const&, lkt::configuration const& c) {
        behaviour b;
        if (integer(c, "BLOCK") == 64) b.time = lkt::seconds(0.5e-3);
        return b;
    });
    lkt::tune_options options;
    options.parts.decision = lkt::decision_ref(decision);
    auto const kept = lkt::tuner{gpu, lkt::sweep<>{}}.tune(tunable_problem(), options);
    REQUIRE(kept.has_value());
    CHECK(integer(kept->best.config, "BLOCK") == 32);
}

TEST_CASE("From a kernel's text to the outcome, with run-time attempts") {
    fake_gpu gpu(by_remark);
    lkt::scripted_model llm{turn("wrong"), turn("wrong"), turn("quick")};
    lkt::kernel_options kernel;
    kernel.size = {{"N", 64}};
    kernel.arguments = {{"x", "N"}, {"y", "N"}, {"n", "N"}};
    lkt::tune_options options;
    lkt::one_prompt<> const twice{.limits = {.attempts = 2}};
    auto const outcome = lkt::tuner{gpu, llm, twice}.tune(
        lkt::kernel_source{lkt::language::cuda, original_text, "twice.cu"}, kernel, options);
    REQUIRE(outcome.has_value());
    CHECK(outcome->terminal == "gave_up");
    CHECK(llm.left() == 1);
}

TEST_CASE("A number out of range ends the run before it begins") {
    fake_gpu gpu(by_remark);
    lkt::scripted_model llm{turn("quick")};
    auto const refused = [&](auto strategy, std::string const& says) {
        auto const outcome = lkt::tuner{gpu, llm, strategy}.tune(twice_problem());
        REQUIRE(outcome.has_error());
        CHECK(outcome.error().kind == lkt::condition::rejected);
        CHECK(outcome.error().code == "lkt.strategies.number");
        CHECK(outcome.error().message == says);
    };
    refused(lkt::one_prompt<>{.limits = {.attempts = 0}},
            "one_prompt: attempts is 0, but must be 1 to 1000");
    refused(lkt::repeated<lkt::one_prompt<>>{.strategy = {.limits = {.attempts = 1'000'000}}},
            "repeated(one_prompt): attempts is 1000000, but must be 1 to 1000");
    refused(lkt::repeated<lkt::one_prompt<>>{.limits = {.rounds = -1}},
            "repeated(one_prompt): rounds is -1, but must be 1 to 10000");
    CHECK(gpu.log.empty());
    CHECK(llm.left() == 1);
}

TEST_CASE("A strategy may have a state and terminals of its own") {
    fake_gpu gpu(by_remark);
    auto const outcome = lkt::tuner{gpu, my_strategy{}}.tune(twice_problem());
    REQUIRE(outcome.has_value());
    CHECK(outcome->terminal == "finished");
    CHECK(std::holds_alternative<finished>(*outcome->reached));
}

TEST_CASE("A node reaches the back end itself through the reference in its tools") {
    fake_gpu gpu(by_remark);
    REQUIRE(lkt::tuner{gpu, logging_strategy{}}.tune(twice_problem()).has_value());
    CHECK(std::ranges::count(gpu.log, "from a node") == 1);
}
