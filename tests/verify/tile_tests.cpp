// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/tile_tests.hpp>

#include <doctest/doctest.h>

#include "conformance.hpp"
#include "fake_backend.hpp"

#include <vector>

namespace {

lkt::problem constrained(char const* condition = "N >= 1") {
    auto task = test::doubling_problem(64);
    task.size_constraints = {*lkt::expression::parse(condition)};
    return task;
}
std::vector<lkt::test_case> made(lkt::problem const& task, lkt::tile_tests const& how = {}) {
    auto tests = how.generate(task, {});
    REQUIRE_MESSAGE(tests.has_value(), to_string(tests.error()));
    return *tests;
}

} // namespace

TEST_CASE("tile tests: a long extent, as far as threads can be watched") {
    auto const tests = made(constrained());
    REQUIRE(tests.size() == 1); // a thread an element: 256 blocks of 32
    CHECK(tests[0].size == lkt::problem_size{{"N", 8187}});
    CHECK(tests[0].origin == lkt::test_origin::hidden_size);
    CHECK(made(test::doubling_problem(64)).empty()); // without constraints
}

TEST_CASE("tile tests: each extent is long in one of them") {
    auto task = constrained();
    task.size.emplace_back("rows", 8);
    task.launch.grid[0] = *lkt::expression::parse("rows");
    for (std::size_t const k : {0, 1})
        task.arguments[k].count = *lkt::expression::parse("rows * N");
    auto const tests = made(task);
    REQUIRE(tests.size() == 2);
    CHECK(tests[0].size == lkt::problem_size{{"N", 65531}, {"rows", 2}});
    CHECK(tests[1].size == lkt::problem_size{{"N", 2}, {"rows", 251}});
}

TEST_CASE("tile tests: no more work than a watched run gets through") {
    auto task = constrained();
    task.work.operations = *lkt::expression::parse("N * N");
    auto const tests = made(task);
    REQUIRE(tests.size() == 1);
    CHECK(tests[0].size[0].second < 2900);
    CHECK(tests[0].size[0].second > 200);
}
