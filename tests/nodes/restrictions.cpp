// SPDX-License-Identifier: BSL-1.0
// Restrictions that a model proposes for its kernel are read, checked and counted before anything
// is compiled.
#include <lkt/nodes/evaluate.hpp>

#include <doctest/doctest.h>

#include <lkt/nodes/propose.hpp>

#include "../support/planning.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace lkt_test;

namespace {

/// What becomes of a kernel with parameters TILE and ROWS under these restrictions.
struct outcome {
    lkt::attempt_record record;
    bool compiled = false;
};

outcome propose_with_restriction(std::string const& restriction, char const* values = "[16, 32]") {
    std::string const text = "__global__ void twice(float const* x, float* y, int n) {\n"
                             "    y[0] = TILE * ROWS * x[0];\n}\n";
    planning_scene c(
        {reply_with(text,
                    "{\"parameters\": {\"TILE\": " + std::string(values) +
                        ", \"ROWS\": [1, 2, 4]}, \"restrictions\": [\"" + restriction + "\"]}")});
    auto const before = c.gpu.log.size();
    if (lkt::propose(c.s, c.tools).value() == lkt::answer::code)
        (void)lkt::evaluate(c.s, c.tools).value();
    return {c.s.history.at(0), c.gpu.log.size() > before};
}

std::string why(outcome const& o) {
    auto const* f = std::get_if<lkt::failure>(&o.record.outcome);
    return f ? lkt::describe(*f) : std::string();
}

} // namespace

TEST_CASE("Every operator of a restriction does what Python does with it") {
    // TILE in {16, 32}, ROWS in {1, 2, 4}, N is 64: how many of the six configurations are left.
    std::pair<char const*, std::size_t> const cases[] = {
        {"TILE == 16", 3},
        {"TILE <= 16 and ROWS <= 2", 2},
        {"TILE == 32 or ROWS == 1", 4},
        {"not ROWS == 4", 4},
        {"min(TILE, 20) == 20", 3},
        {"max(TILE, ROWS * 8) == 32", 4},
        {"TILE % (ROWS * 16) == 0", 3},
        {"TILE // ROWS >= 8", 5},
        {"1 < ROWS < 4", 2},
        {"TILE * ROWS + N - 1 <= 127", 5},
        {"TILE / ROWS == 4.0", 1},
        {"(TILE == 16) != (ROWS == 1)", 3},
        {"TILE ** 2 <= 256", 3},
        {"ROWS in [1, 4]", 4},
        {"TILE == 16 && !(ROWS == 1)", 2},
    };
    for (auto const& [restriction, left] : cases) {
        CAPTURE(restriction);
        CHECK(propose_with_restriction(restriction).record.configurations.size() == left);
    }
}

TEST_CASE("What is wrong with a restriction is said before anything is compiled") {
    std::pair<char const*, char const*> const cases[] = {
        {"TILE <", "restrictions[0]"},                   // no expression
        {"TILE = 16", "restrictions[0]"},                // an assignment
        {"len(TILE) > 2", "restrictions[0]"},            // no function
        {"TILE < WARPS", "`WARPS`, which is not known"}, // no name
        {"TILE > 'wide'", "wide"},                       // another type
        {"TILE % (ROWS - 1) == 0", "zero"},              // no value
        {"TILE ** 100 > 1", "64 bits"},
        {"TILE > 32", "no configuration meets the restrictions (6 without them): `TILE > 32`"},
        {"TILE == 16 and TILE == 32", "no configuration meets"},
    };
    for (auto const& [restriction, part] : cases) {
        CAPTURE(restriction);
        auto const o = propose_with_restriction(restriction);
        CAPTURE(why(o));
        CHECK(says(why(o), part));
        CHECK_FALSE(o.compiled);
    }
}

TEST_CASE("A restriction that excludes nothing is noted") {
    auto const o = propose_with_restriction("TILE >= ROWS");
    CHECK(o.compiled);
    CHECK(any_says(o.record.notes, "`TILE >= ROWS` excludes nothing"));
}

TEST_CASE("A space beyond the budget is a failure, unless restrictions make it small") {
    std::string many = "[1";
    for (int i = 2; i <= 256; ++i) many += ", " + std::to_string(i);
    lkt::evaluation_options const budget;
    auto const huge = [&](std::string const& restriction) {
        return propose_with_restriction(restriction, (many + "]").c_str());
    };
    CHECK(huge("TILE <= 4").record.configurations.size() == 12);
    std::string const text = "__global__ void twice(float const* x, float* y, int n) {\n"
                             "    y[0] = TILE * ROWS * x[0];\n}\n";
    planning_scene c(
        {reply_with(text, "{\"parameters\": {\"TILE\": " + many + "], \"ROWS\": " + many + "]}}")});
    auto const before = c.gpu.log.size();
    CHECK(lkt::propose(c.s, c.tools).value() == lkt::answer::code);
    CHECK(lkt::evaluate(c.s, c.tools).value() == lkt::evaluated::failed);
    CHECK(c.gpu.log.size() == before);
    auto const& f = std::get<lkt::failure>(c.s.history[0].outcome);
    CHECK(says(lkt::describe(f), "more than " + std::to_string(budget.max_configurations)));
}
