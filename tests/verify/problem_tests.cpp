// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/problem_tests.hpp>

#include <doctest/doctest.h>

#include "../support/fake_gpu.hpp"

#include <algorithm>
#include <set>

static_assert(lkt::test_generator<lkt::problem_tests>);

TEST_CASE("The timed size leads, hidden sizes and the menu follow, some for finalists alone") {
    auto task = lkt_test::twice_problem();
    task.size_constraints = {lkt::expression::parse("ProblemSize[0] <= 4096").value()};
    auto const tests = lkt::problem_tests{}.generate(task, {}).value();
    REQUIRE(tests.size() > 6);
    CHECK(tests.front().size == task.size);
    CHECK_FALSE(tests.front().for_finalists);
    std::size_t hidden = 0, hidden_for_all = 0, at_known_size = 0, finalists = 0;
    std::set<std::string> names;
    for (auto const& t : tests) {
        names.insert(t.name);
        finalists += t.for_finalists ? 1 : 0;
        (t.size == task.size ? at_known_size : hidden) += 1;
        hidden_for_all += t.size != task.size && !t.for_finalists ? 1 : 0;
        // Nobody named what is not at the timed size.
        CHECK((t.size == task.size || t.origin != lkt::test_origin::asked));
    }
    CHECK(names.size() == tests.size());
    CHECK(hidden >= 2);
    CHECK(hidden_for_all >= 1);
    CHECK(at_known_size >= 2);
    CHECK(finalists >= 3);
    CHECK(finalists + 4 <= tests.size());
}

TEST_CASE("What was asked for only is what one gets") {
    auto const task = lkt_test::twice_problem();
    auto const plain = lkt::problem_tests{.menu = false}.generate(task, {}).value();
    CHECK(plain.size() == 2); // the timed size, and once more with other values
    CHECK(std::none_of(plain.begin(), plain.end(), [](auto const& t) { return t.for_finalists; }));
    for (auto const& t : plain) CHECK(t.origin == lkt::test_origin::asked);
}
