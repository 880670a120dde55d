// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/toolbox.hpp>

#include <doctest/doctest.h>

#include "../support/prepared_state.hpp"

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

} // namespace

TEST_CASE("What tools do not bring has defaults") {
    no_tools none;
    CHECK_FALSE(lkt::detail::context_of(none).stop.stop_possible());
    CHECK(lkt::detail::options_of(none).final_launches == 21);
    CHECK_FALSE(lkt::detail::must_end(none, {}).has_value());
    auto const space = lkt::search_space::make({}).value();
    lkt::detail::with_search(none, [&](auto& policy) {
        policy.start(space);
        CHECK(policy.ask().has_value());
        CHECK_FALSE(policy.ask().has_value());
    });
}

TEST_CASE("A stop comes before a budget, and each budget names itself") {
    fake_gpu gpu([](std::string const&, lkt::configuration const&) { return behaviour{}; });
    lkt::no_model llm;
    lkt::signature_tests tests;
    lkt::exhaustive all;
    std::stop_source source;
    lkt::toolbox<fake_gpu> tools{gpu, llm, tests, all, {source.get_token(), {}}};
    lkt::model_usage usage;
    usage.calls = 3;
    usage.tokens = {50, 60};
    CHECK_FALSE(lkt::detail::must_end(tools, usage).has_value());
    tools.budget.model_calls = 3;
    CHECK(lkt::detail::must_end(tools, usage)->hint.find("model_calls") != std::string::npos);
    tools.budget = {};
    tools.budget.tokens = 111;
    CHECK_FALSE(lkt::detail::must_end(tools, usage).has_value());
    tools.budget.tokens = 110;
    CHECK(lkt::detail::must_end(tools, usage)->kind == lkt::condition::exhausted);
    tools.budget = {};
    tools.budget.time = lkt::seconds(10);
    CHECK_FALSE(lkt::detail::must_end(tools, usage).has_value());
    tools.started -= std::chrono::seconds(11);
    CHECK(lkt::detail::must_end(tools, usage)->message.find("10 s") != std::string::npos);
    source.request_stop();
    CHECK(lkt::detail::must_end(tools, usage)->kind == lkt::condition::cancelled);
}

TEST_CASE("Progress goes to the tools' sink with what the state knows") {
    fake_gpu gpu([](std::string const&, lkt::configuration const&) { return behaviour{}; });
    lkt::no_model llm;
    lkt::signature_tests tests;
    lkt::exhaustive all;
    lkt::toolbox<fake_gpu> tools{gpu, llm, tests, all};
    lkt::tuning_state s;
    lkt::detail::report_progress(s, tools, lkt::activity::asking_model); // nobody listens
    std::vector<lkt::progress_event> seen;
    tools.on_progress = [&](lkt::progress_event const& e) { seen.push_back(e); };
    s.best.time.samples.assign(7, lkt::seconds(1e-3));
    s.history.resize(2);
    s.usage.calls = 4;
    lkt::detail::report_progress(s, tools, lkt::activity::trying_configurations, 1, 8, "race");
    REQUIRE_FALSE(seen.empty());
    CHECK(seen[0].done == 1);
    CHECK(seen[0].total == 8);
    CHECK(seen[0].attempt == 2);
    lkt::detail::report_progress(s, tools, lkt::activity::asking_model);
    CHECK(seen.back().attempt == 3);
    CHECK(seen[0].best.count() == doctest::Approx(1e-3));
    CHECK(seen[0].model_calls == 4);
    CHECK(seen[0].last == "race");
}
