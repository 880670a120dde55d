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

TEST_CASE("default launch") {
    auto const text = [](lkt::problem_size const& size,
                         std::vector<lkt::tunable_parameter> const& parameters) {
        lkt::launch_formula const f = lkt::default_launch(size, parameters);
        return f.grid[0].text() + " " + f.grid[1].text() + " " + f.grid[2].text() + " | " +
               f.block[0].text() + " " + f.block[1].text() + " " + f.block[2].text();
    };
    CHECK(text({{"N", 4}}, {}) == "ceil_div(N, (256)) 1 1 | 256 1 1");
    CHECK(text({{"W", 4}, {"H", 4}}, {{"block_y", {std::int64_t{4}}}}) ==
          "ceil_div(W, (1)) ceil_div(H, (block_y)) 1 | 1 block_y 1");
    CHECK(text({{"a-b", 4}}, {}) == "ceil_div(ProblemSize[0], (256)) 1 1 | 256 1 1");
    CHECK(text({}, {}) == "1 1 1 | 1 1 1");
    CHECK(text({{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}}, {}) ==
          "ceil_div(a, (8)) ceil_div(b, (8)) ceil_div(c, (8)) | 8 8 8");
}
