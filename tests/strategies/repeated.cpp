// SPDX-License-Identifier: BSL-1.0
#include <lkt/strategies/repeated.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/run.hpp>
#include <lkt/llm/scripted.hpp>
#include <lkt/strategies/one_prompt.hpp>

#include "../support/prepared_state.hpp"
#include "../support/run_strategy.hpp"

using namespace lkt_test;

namespace {

/// `speed 3` in the text: a third of the original's time.
behaviour by_speed(std::string const& text, lkt::configuration const&) {
    behaviour b;
    auto const at = text.find("speed ");
    if (at != std::string::npos) b.time = lkt::seconds(1e-3 / std::stod(text.substr(at + 6)));
    return b;
}

lkt::scripted_turn turn(char const* remark) { return reply_with(changed_text(remark)); }

using rounds = lkt::repeated<lkt::one_prompt<>>;
constexpr rounds three_rounds{.strategy = {.limits = {.attempts = 1}}, .limits = {.rounds = 3}};

template <class Tools>
rounds::state ready(Tools& tools) {
    return {prepared_state(twice_problem(), tools), {}};
}

} // namespace

TEST_CASE("Its name says what is repeated") {
    CHECK(lkt::graph_name<rounds> == "repeated(one_prompt)");
}

TEST_CASE("Each round starts from the best kernel so far, with a conversation of its own") {
    fake_gpu gpu(by_speed);
    lkt::scripted_model llm{turn("speed 2"), turn("speed 3"), turn("speed 4"), turn("speed 5")};
    bare_tools tools{gpu, llm};
    auto s = ready(tools);
    auto const end = run_strategy(three_rounds, s, tools);
    REQUIRE(end.has_value());
    CHECK(std::holds_alternative<lkt::tuned>(*end));
    CHECK(llm.left() == 1);
    CHECK(s.best.kernel.source.text == changed_text("speed 4"));
    auto const requests = llm.requests();
    REQUIRE(requests.size() == 3);
    CHECK(requests[2].messages.size() == 2);
    CHECK(requests[2].messages[1].text.find("// speed 3") != std::string::npos);
}

TEST_CASE("A round without success ends the run, which was a success if an earlier one was") {
    fake_gpu gpu(by_speed);
    lkt::scripted_model llm{turn("speed 2"), "no", turn("speed 9")};
    bare_tools tools{gpu, llm};
    auto s = ready(tools);
    auto const end = run_strategy(three_rounds, s, tools);
    REQUIRE(end.has_value());
    CHECK(std::holds_alternative<lkt::tuned>(*end));
    CHECK(llm.left() == 1);

    lkt::scripted_model silent{"no"};
    bare_tools quiet{gpu, silent};
    auto t = ready(quiet);
    auto const none = run_strategy(three_rounds, t, quiet);
    REQUIRE(none.has_value());
    CHECK(std::holds_alternative<lkt::gave_up>(*none));

    lkt::scripted_model slow{turn("speed 0.5")};
    bare_tools slower{gpu, slow};
    auto u = ready(slower);
    auto const same = run_strategy(three_rounds, u, slower);
    REQUIRE(same.has_value());
    CHECK(std::holds_alternative<lkt::unchanged>(*same));
}
