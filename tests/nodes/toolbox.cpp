// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/toolbox.hpp>

#include <lkt/nodes/evaluate.hpp>

#include <doctest/doctest.h>

#include "../support/prepared_state.hpp"

#include <optional>
#include <vector>

using namespace lkt_test;

namespace {

struct no_tools {};
struct a_model {
    lkt::result<lkt::chat_reply> complete(lkt::chat_request const&, lkt::call_context const&) {
        return lkt::error{};
    }
};
static_assert(lkt::has_gpu<bare_tools<fake_gpu, a_model>>);
static_assert(lkt::has_llm<bare_tools<fake_gpu, a_model>>);
static_assert(!lkt::has_llm<bare_tools<fake_gpu, lkt::no_model>>);
static_assert(!lkt::has_gpu<no_tools>);
static_assert(lkt::has_gpu<lkt::toolbox<fake_gpu>>);
static_assert(!lkt::has_llm<lkt::toolbox<fake_gpu>>);

std::optional<lkt::error> must_end(auto& tools, lkt::model_usage const& usage) {
    return lkt::detail::tools_ref(tools).must_end(usage);
}

void report_progress(lkt::tuning_state& s, auto& tools, auto... what) {
    lkt::detail::tools_ref(tools).report_progress(lkt::detail::state_ref(s), what...);
}

} // namespace

TEST_CASE("What tools do not bring has defaults") {
    no_tools none;
    lkt::detail::tools_ref const settings(none);
    CHECK_FALSE(settings.context.stop.stop_possible());
    CHECK(settings.options.final_launches == 21);
    CHECK_FALSE(settings.must_end({}).has_value());
    auto const space = lkt::search_space::make({}).value();
    auto policy = lkt::detail::search_of(none);
    policy.start(space);
    CHECK(policy.ask(8).size() == 1);
    CHECK(policy.ask(8).empty());
}

TEST_CASE("Parts of the tools take the place of the standard ones in every node") {
    struct : lkt::backend_timer {
        int series = 0;
        lkt::result<void>
        take(lkt::evaluation_setup const& in, lkt::trial& t, lkt::timed_series const& s) {
            ++series;
            return backend_timer::take(in, t, s);
        }
    } timer;
    fake_gpu gpu([](std::string const&, lkt::configuration const&) { return behaviour{}; });
    lkt::no_model llm;
    lkt::problem_tests tests;
    lkt::exhaustive all;
    lkt::toolbox<fake_gpu> tools{gpu, llm, tests, all};
    tools.parts.timer = lkt::timer_ref(timer);
    auto s = prepared_state(twice_problem(), tools);
    CHECK(timer.series > 0);
    timer.series = 0;
    s.proposal = s.baseline.kernel;
    s.proposal.source.text = changed_text("proposal");
    CHECK(lkt::evaluate(s, tools).value() == lkt::evaluated::slower);
    CHECK(timer.series > 1);
}

TEST_CASE("A stop comes before a budget, and each budget names itself") {
    fake_gpu gpu([](std::string const&, lkt::configuration const&) { return behaviour{}; });
    lkt::no_model llm;
    lkt::problem_tests tests;
    lkt::exhaustive all;
    std::stop_source source;
    lkt::toolbox<fake_gpu> tools{gpu, llm, tests, all, {source.get_token(), {}}};
    lkt::model_usage usage;
    usage.calls = 3;
    usage.tokens = {50, 60};
    CHECK_FALSE(must_end(tools, usage).has_value());
    tools.budget.model_calls = 3;
    CHECK(must_end(tools, usage)->hint.find("model_calls") != std::string::npos);
    tools.budget = {};
    tools.budget.tokens = 111;
    CHECK_FALSE(must_end(tools, usage).has_value());
    tools.budget.tokens = 110;
    CHECK(must_end(tools, usage)->kind == lkt::condition::exhausted);
    tools.budget = {};
    tools.budget.time = lkt::seconds(10);
    CHECK_FALSE(must_end(tools, usage).has_value());
    tools.started -= std::chrono::seconds(11);
    CHECK(must_end(tools, usage)->message.find("10 s") != std::string::npos);
    source.request_stop();
    CHECK(must_end(tools, usage)->kind == lkt::condition::cancelled);
}

TEST_CASE("A search ends where a measured roof is reached, unless it is not to be believed") {
    fake_gpu gpu([](std::string const&, lkt::configuration const&) { return behaviour{}; });
    lkt::no_model llm;
    lkt::problem_tests tests;
    lkt::exhaustive all;
    lkt::toolbox<fake_gpu> tools{gpu, llm, tests, all};
    lkt::tuning_state s;
    s.task = twice_problem();
    auto const end = [&] {
        return lkt::detail::tools_ref(tools).must_end_search(lkt::detail::state_ref(s));
    };
    s.best.time.samples.assign(7, lkt::seconds(1e-3));
    s.task.work.operations = lkt::expression(60'000'000'000);
    CHECK_FALSE(end().has_value()); // no peak is known
    s.device.peaks.on_paper.fp32 = 60e12;
    CHECK_FALSE(end().has_value()); // on paper
    s.device.peaks.measured.fp32 = 60e12;
    REQUIRE(end().has_value());
    CHECK(end()->code == "lkt.tuner.roof");
    CHECK(end()->message.find("reaches 100 % of what arithmetic allows") != std::string::npos);
    s.best.time.samples.assign(7, lkt::seconds(1.005e-3)); // a gain of 1 % would pass it
    CHECK(end().has_value());
    tools.evaluation.min_gain = 0;
    CHECK_FALSE(end().has_value());
    s.best.time.samples.assign(7, lkt::seconds(1.1e-3));
    CHECK_FALSE(end().has_value());
    tools.budget.roof = 0.9;
    CHECK(end().has_value());
    tools.budget.roof = 0;
    CHECK_FALSE(end().has_value());
    tools.budget.roof = 0.9;
    s.best.time.samples.assign(7, lkt::seconds(1e-4)); // ten times the peak
    CHECK_FALSE(end().has_value());
    s.best.time.samples.clear();
    CHECK_FALSE(end().has_value());
}

TEST_CASE("Progress goes to the tools' sink with what the state knows") {
    fake_gpu gpu([](std::string const&, lkt::configuration const&) { return behaviour{}; });
    lkt::no_model llm;
    lkt::problem_tests tests;
    lkt::exhaustive all;
    lkt::toolbox<fake_gpu> tools{gpu, llm, tests, all};
    lkt::tuning_state s;
    report_progress(s, tools, lkt::activity::asking_model); // nobody listens
    std::vector<lkt::progress_event> seen;
    tools.on_progress = [&](lkt::progress_event const& e) { seen.push_back(e); };
    s.best.time.samples.assign(7, lkt::seconds(1e-3));
    s.history.resize(2);
    s.usage.calls = 4;
    s.usage.models = {{"scripted", "", 4, {}}};
    s.usage.tokens = {50, 60};
    s.step = "unroll";
    report_progress(s, tools, lkt::activity::trying_configurations, 1, 8, "evaluate");
    REQUIRE_FALSE(seen.empty());
    CHECK(seen[0].done == 1);
    CHECK(seen[0].total == 8);
    CHECK(seen[0].attempt == 2);
    report_progress(s, tools, lkt::activity::asking_model);
    CHECK(seen.back().attempt == 3);
    CHECK(seen[0].best.count() == doctest::Approx(1e-3));
    CHECK(seen[0].model_calls == 4);
    CHECK(seen[0].tokens == s.usage.tokens);
    CHECK(seen[0].models.size() == 1);
    CHECK(seen[0].step == "unroll");
    CHECK(seen[0].last == "evaluate");
}
