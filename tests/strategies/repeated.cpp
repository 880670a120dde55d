// SPDX-License-Identifier: BSL-1.0
#include <lkt/strategies/repeated.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/run.hpp>
#include <lkt/llm/scripted.hpp>
#include <lkt/strategies/one_prompt.hpp>

#include "../support/prepared_state.hpp"

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

using single = lkt::one_prompt<lkt::one_prompt_knobs{.attempts = 1}>;
using three_rounds = lkt::repeated<single, 3>;

} // namespace

TEST_CASE("Its name says what is repeated") {
    CHECK(lkt::graph_name<three_rounds> == "repeated(one_prompt)");
}

TEST_CASE("Each round starts from the best kernel so far, with a conversation of its own") {
    fake_gpu gpu(by_speed);
    lkt::scripted_model llm{turn("speed 2"), turn("speed 3"), turn("speed 4"), turn("speed 5")};
    bare_tools tools{gpu, llm};
    auto s = prepared_state(twice_problem(), tools);
    auto const end = lkt::run<three_rounds>(s, tools);
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
    auto s = prepared_state(twice_problem(), tools);
    auto const end = lkt::run<three_rounds>(s, tools);
    REQUIRE(end.has_value());
    CHECK(std::holds_alternative<lkt::tuned>(*end));
    CHECK(llm.left() == 1);

    lkt::scripted_model silent{"no"};
    bare_tools quiet{gpu, silent};
    auto t = prepared_state(twice_problem(), quiet);
    auto const none = lkt::run<three_rounds>(t, quiet);
    REQUIRE(none.has_value());
    CHECK(std::holds_alternative<lkt::gave_up>(*none));

    lkt::scripted_model slow{turn("speed 0.5")};
    bare_tools slower{gpu, slow};
    auto u = prepared_state(twice_problem(), slower);
    auto const same = lkt::run<three_rounds>(u, slower);
    REQUIRE(same.has_value());
    CHECK(std::holds_alternative<lkt::unchanged>(*same));
}
