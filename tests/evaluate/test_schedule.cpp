// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/test_schedule.hpp>

#include <doctest/doctest.h>

#include "support.hpp"

#include <vector>

using namespace lkt_test;

namespace {

/// These tests first.
struct these {
    std::vector<std::size_t> numbers;
    std::vector<std::size_t> before_timing(lkt::evaluation_setup const&) const { return numbers; }
};
struct one_number {
    std::size_t before_timing(lkt::evaluation_setup const&) const { return 0; }
};

} // namespace

TEST_CASE("the tests of finalists come last, and on a device those as large as the timed one") {
    evaluation_scene c([](auto const&, auto const&) { return behaviour{}; });
    auto const& tests = c.s.tests.tests;
    std::vector<std::size_t> ordinary, small{0};
    for (std::size_t k = 0; k < tests.size(); ++k) {
        if (tests[k].test.for_finalists) continue;
        ordinary.push_back(k);
        auto const bytes = tests[k].test.arguments[0].bytes.size();
        if (k > 0 && bytes < tests[0].test.arguments[0].bytes.size()) small.push_back(k);
    }
    auto const setup = c.setup();
    CHECK(lkt::cheap_tests_first{}.before_timing(setup) == ordinary);
    CHECK(lkt::schedule_ref().before_timing(setup) == ordinary);
    c.s.device.simulated = false;
    CHECK(lkt::cheap_tests_first{}.before_timing(setup) == small);
    CHECK(small.size() < ordinary.size());
}

TEST_CASE("a schedule of the user's says what comes first, and spares a finalist nothing") {
    CHECK(lkt::test_schedule<these>);
    CHECK_FALSE(lkt::test_schedule<one_number>);
    evaluation_scene c([](auto const&, auto const&) { return behaviour{}; });
    std::size_t const all = c.s.tests.tests.size();
    REQUIRE(all > 2);
    for (std::vector<std::size_t> const& first :
         {std::vector<std::size_t>{}, {1}, {0, 2}, {1, 1, 1000}}) {
        these mine{first};
        lkt::evaluation in(c.setup({.schedule = lkt::schedule_ref(mine)}));
        auto t = c.trial();
        c.gpu.log.clear();
        CHECK_FALSE(in.tests.run_first(t).value());
        std::size_t const before = c.gpu.count("run ");
        CHECK(before == (first.size() == 3 ? 1 : first.size()));
        CHECK_FALSE(in.tests.run_rest(t).value());
        CHECK(c.gpu.count("run ") == all);
    }
    // On a device the launch on the timed test is a sample, if there was one.
    c.s.device.simulated = false;
    for (std::size_t const first : {0, 1}) {
        these mine{{first}};
        lkt::evaluation in(c.setup({.schedule = lkt::schedule_ref(mine)}));
        auto t = c.trial();
        CHECK_FALSE(in.tests.run_first(t).value());
        CHECK(t.time.empty() == (first == 1));
    }
}
