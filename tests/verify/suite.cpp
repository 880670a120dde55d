// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/suite.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

TEST_CASE("what a back end returns are the arguments that are not only read") {
    using lkt::direction;
    CHECK(lkt::output_positions({direction::in, direction::out, direction::in, direction::inout}) ==
          std::vector<std::size_t>{1, 3});
    CHECK(lkt::output_positions({direction::in}).empty());
}

TEST_CASE("Equal bytes are right, whatever they are; a comparator is asked all the same") {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> values(100, 1.5F);
    values[3] = nan;
    values[4] = std::numeric_limits<float>::infinity();
    lkt::problem task;
    task.arguments.resize(1);
    lkt::test_suite suite;
    suite.directions = {lkt::direction::out};
    lkt::prepared_test test;
    test.expected = {
        lkt::make_buffer({lkt::scalar_type::float32, 1}, std::span<float const>(values))};
    test.bounds = {lkt::tolerance{}};
    lkt::argument_data got = test.expected[0];
    CHECK_FALSE(lkt::judge_output(task, suite, test, 0, got));
    values[99] = 2;
    got = lkt::make_buffer({lkt::scalar_type::float32, 1}, std::span<float const>(values));
    auto const wrong = lkt::judge_output(task, suite, test, 0, got);
    REQUIRE(wrong);
    CHECK(wrong->first == 99);
    CHECK(wrong->count == 1);

    suite.comparators = {{0, [](auto const&, auto const&, auto const&) {
                              return std::optional<std::string>("never right");
                          }}};
    CHECK(lkt::judge_output(task, suite, test, 0, test.expected[0]));
}
