// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/extent_tests.hpp>

#include <doctest/doctest.h>

#include "fake_backend.hpp"

#include <cstdint>
#include <set>

static_assert(lkt::test_generator<lkt::extent_tests>);

namespace {

lkt::problem matrix() {
    auto task = test::doubling_problem(64);
    task.size = {{"N", 64}, {"M", 16}};
    auto const all = lkt::expression::parse("N * M").value();
    task.arguments[0].count = task.arguments[1].count = task.arguments[2].value = all;
    task.size_constraints = {lkt::expression::parse("N >= 1").value(),
                             lkt::expression::parse("M % 4 == 0").value()};
    return task;
}

} // namespace

TEST_CASE("every small extent has a test, with full blocks beside it") {
    auto const tests = lkt::extent_tests{.seed = 3}.generate(matrix(), {});
    REQUIRE(tests.has_value());
    std::set<std::int64_t> first, second;
    for (auto const& t : *tests) {
        CHECK(t.origin == lkt::test_origin::swept_size);
        CHECK(t.for_finalists);
        auto const n = t.size[0].second, m = t.size[1].second;
        CHECK(m % 4 == 0);
        CHECK(2 * n * m <= 1 << 15);
        if (m == 128) first.insert(n);
        if (n == 129 || (n == 128 && m == 128)) second.insert(m);
    }
    CHECK(first.size() >= 128);
    CHECK(second.size() >= 30); // multiples of 4
    CHECK(first.contains(73));
}

TEST_CASE("sizes are swept where constraints say which there are") {
    CHECK(lkt::extent_tests{.through = 0}.generate(matrix(), {})->empty());
    CHECK(lkt::extent_tests{}.generate(test::doubling_problem(64), {})->empty());
    auto few = matrix();
    few.size_constraints.push_back(lkt::expression::parse("N * M <= 64").value());
    for (auto const& t : lkt::extent_tests{}.generate(few, {}).value())
        CHECK(t.size[0].second * t.size[1].second <= 64);
}
