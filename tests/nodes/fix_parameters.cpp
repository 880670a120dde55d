// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/fix_parameters.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/dsl.hpp>
#include <lkt/graph/run.hpp>
#include <lkt/nodes/propose.hpp>

#include "../support/planning.hpp"

#include <string>
#include <utility>

using namespace lkt_test;

namespace {

struct fixed {};
struct not_fixed {};
struct taken {};
/// One reply, and what is made of its parameters.
struct one_reply {
    static constexpr auto graph = lkt::graph<lkt::planning_state>(
        lkt::dsl::node<lkt::propose>(lkt::dsl::on<lkt::answer::code>(lkt::dsl::stop<taken>),
                                     lkt::dsl::on<lkt::answer::none>(lkt::fix_parameters)),
        lkt::dsl::node<lkt::fix_parameters>(
            lkt::dsl::on<lkt::parameters_fixed::yes>(lkt::dsl::stop<fixed>),
            lkt::dsl::on<lkt::parameters_fixed::no>(lkt::dsl::stop<not_fixed>)));
};

std::string const shadowed = reply_with("constexpr int TILE = 16;\n" + original_text,
                                        R"j({"description": "tiles", "parameters": {"TILE": [16]},
        "launch": {"grid": ["ceil_div(N, TILE)"], "block": ["TILE"]}})j");
std::string const good_fix =
    R"j({"kernel": "__global__ void twice(float const* x, float* y, int n) { int i = blockIdx.x * TILE + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }",
    "parameters": [{"name": "TILE", "values": [16, "32"]}]})j";

} // namespace

TEST_CASE("Parameters that a text does not settle are asked for once, in a turn of its own") {
    planning_scene c({shadowed, good_fix});
    CHECK(ended_in<fixed>(lkt::run<one_reply>(c.s, c.tools)));
    auto const turns = c.asked(1);
    REQUIRE(turns.size() == 1);
    CHECK(says(turns[0].text, "constexpr int TILE = 16;"));
    CHECK(says(turns[0].text, "declares the tunable parameter TILE itself"));
    CHECK(says(turns[0].text, "{\"TILE\":[16]}"));
    // Launch and description are those of the reply.
    CHECK(c.s.proposal.description == "tiles");
    CHECK(c.s.proposal.launch.block[0].text() == "TILE");
    REQUIRE(c.s.proposal.parameters.size() == 1);
    CHECK(c.s.proposal.parameters[0].values ==
          std::vector<lkt::parameter_value>{std::int64_t{16}, std::int64_t{32}});
    CHECK(c.s.attempts.empty());
    REQUIRE(c.s.history.size() == 1);
    CHECK(std::holds_alternative<lkt::not_evaluated>(c.s.history[0].outcome));
    CHECK(any_says(c.s.history[0].notes, "were corrected by"));
    CHECK(c.s.usage.calls == 2);
}

TEST_CASE("No parameter without a value, and no name in two spellings, gets further") {
    std::string const none =
        reply_with(original_text, R"j({"parameters": {"TILE": []}, "launch": {"grid": ["N"],
            "block": ["TILE"]}})j");
    planning_scene c({none, good_fix});
    CHECK(ended_in<fixed>(lkt::run<one_reply>(c.s, c.tools)));
    CHECK(says(c.asked(1)[0].text, "TILE has 0 values"));
}

TEST_CASE("An answer that does not settle it either leaves the reply as it was") {
    for (std::string const& bad :
         {nonsense,
          std::string(R"j({"kernel": "constexpr int TILE = 8;", "parameters": []})j"),
          std::string(R"j({"kernel": "x", "parameters": [{"name": "A B", "values": ["1"]}]})j")}) {
        planning_scene c({shadowed, bad});
        CHECK(ended_in<not_fixed>(lkt::run<one_reply>(c.s, c.tools)));
        CHECK(c.s.attempts.size() == 1);
        CHECK(std::holds_alternative<lkt::failure>(c.s.history[0].outcome));
        CHECK(any_says(c.s.history[0].notes, "could not be corrected"));
        CHECK(c.s.usage.calls == 2);
    }
}

TEST_CASE("Where something else is wrong, nobody is asked") {
    lkt::chat_reply cut;
    cut.text = shadowed;
    cut.finish = lkt::finish::length;
    for (lkt::scripted_turn const& bad :
         {lkt::scripted_turn(nonsense),
          lkt::scripted_turn(reply_with("__global__ void other() {}\n")),
          lkt::scripted_turn(cut)}) {
        planning_scene c({bad, good_fix});
        CHECK(ended_in<not_fixed>(lkt::run<one_reply>(c.s, c.tools)));
        CHECK(c.calls() == 1);
    }
}

TEST_CASE("Restrictions that cannot be used are asked for alone, until they can") {
    std::string const text = "__global__ void twice(float const* x, float* y, int n) {\n"
                             "    y[0] = TILE * ROWS * x[0];\n}\n";
    auto const reply = [&](std::string const& restriction) {
        return reply_with(text,
                          R"j({"parameters": {"TILE": [16, 32], "ROWS": [1, 2, 4]},
            "restrictions": [")j" +
                              restriction + "\"]}");
    };
    auto const answer = [](std::string const& restrictions) {
        return "{\"restrictions\": [" + restrictions + "]}";
    };
    std::pair<char const*, char const*> const cases[] = {
        {"TILE <", "restrictions[0]"},
        {"TILE < WARPS", "`WARPS`, which is not known"},
        {"TILE % (ROWS - 1) == 0", "zero"},
        {"TILE > 32", "no configuration meets the restrictions"}};
    for (auto const& [restriction, why] : cases) {
        CAPTURE(restriction);
        planning_scene c({reply(restriction), answer("\"TILE > ROWS * 4\"")});
        CHECK(ended_in<fixed>(lkt::run<one_reply>(c.s, c.tools)));
        auto const asked = c.asked(1).at(0).text;
        for (std::string const& part :
             {std::string("`TILE`: 16, 32"), std::string("TILE * ROWS * x[0]"), std::string(why)})
            CHECK_MESSAGE(says(asked, part), asked);
        REQUIRE(c.s.proposal.restrictions.size() == 1);
        CHECK(c.s.proposal.restrictions[0].text() == "TILE > ROWS * 4");
        CHECK(c.s.proposal.parameters.size() == 2);
        CHECK(c.s.attempts.empty());
        CHECK(any_says(c.s.history[0].notes, "its restrictions were corrected by"));
    }
    // What is wrong with an answer is said; it may be that there are none to be had.
    std::pair<char const*, char const*> const answers[] = {
        {"\"TILE <\"", "`TILE <`"},
        {"\"TILE > WARPS\"", "`WARPS`, which is not known"},
        {"\"TILE > 32\"", "no configuration meets"},
        {"\"ROWS > 1\"", "`ROWS > 1` excludes the defaults, TILE=16, ROWS=1"}};
    for (auto const& [bad, why] : answers) {
        planning_scene c({reply("TILE > 32"), answer(bad), answer("")});
        CHECK(ended_in<fixed>(lkt::run<one_reply>(c.s, c.tools)));
        CHECK(says(c.asked(2).back().text, why));
        CHECK(c.s.proposal.restrictions.empty());
        CHECK(c.s.usage.calls == 3);
    }
    planning_scene never({reply("TILE > 32"), nonsense, answer("\"TILE > 64\"")});
    CHECK(ended_in<not_fixed>(lkt::run<one_reply>(never.s, never.tools)));
    CHECK(any_says(never.s.history[0].notes, "its restrictions could not be corrected either"));
}

TEST_CASE("An error leaves the state as it was, and the node can be entered again") {
    planning_scene c(
        {shadowed, lkt::error{lkt::condition::unavailable, "x", "gone", {}}, good_fix});
    lkt::cursor<one_reply> at;
    CHECK(lkt::run<one_reply>(c.s, c.tools, at).has_error());
    CHECK(c.s.attempts.size() == 1);
    CHECK(c.s.usage.calls == 1);
    CHECK(ended_in<fixed>(lkt::run<one_reply>(c.s, c.tools, at)));
}
