// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/problem.hpp>

#include <doctest/doctest.h>

TEST_CASE("a scope holds sizes by name and by number, then the configuration") {
    lkt::expression_scope const s =
        lkt::scope_of({{"N", 100}, {"M", 7}}, {{{"BLOCK", std::int64_t{16}}}});
    auto const value = [&](char const* text) {
        return lkt::expression::parse(text).value().evaluate_integer(s).value();
    };
    CHECK(value("N * M + BLOCK") == 716);
    CHECK(value("ProblemSize[1] - ProblemSize[0]") == -93);
    CHECK(s.problem_size == std::vector<std::int64_t>{100, 7});
}

TEST_CASE("the direction that the user states wins") {
    lkt::problem p;
    p.signature.arguments.resize(2);
    p.signature.arguments[0].flow = p.signature.arguments[1].flow = lkt::direction::inout;
    p.arguments.resize(2);
    p.arguments[1].flow = lkt::direction::out;
    CHECK(p.flow(0) == lkt::direction::inout);
    CHECK(p.flow(1) == lkt::direction::out);
}
