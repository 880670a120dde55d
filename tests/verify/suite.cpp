// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/suite.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
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

TEST_CASE("Results that are cut off instead of rounded are wrong, unless nothing tells") {
    lkt::value_type const narrow{lkt::scalar_type::bfloat16, 1};
    /// An output of so many values around 1.5, of which the bits after the 16th are what `round`
    /// makes of them; `step`: between their bits.
    auto const output = [&](std::uint32_t count, std::uint32_t step, auto const& round) {
        std::vector<std::uint16_t> bits;
        for (std::uint32_t k = 0; k < count; ++k)
            bits.push_back(static_cast<std::uint16_t>(round(0x3fc00000 + k * step) >> 16));
        return lkt::make_buffer(narrow, std::span<std::uint16_t const>(bits));
    };
    auto const nearest = [](std::uint32_t x) { return x + 0x7fff + (x >> 16 & 1); };
    auto const cut = [](std::uint32_t x) { return x; };
    auto const up = [](std::uint32_t x) { return x + 0xffff; };
    auto const at_random = [](std::uint32_t x) { return x + (x * 2654435761U >> 16); };
    lkt::problem task;
    task.arguments.resize(1);
    lkt::test_suite suite;
    suite.directions = {lkt::direction::out};
    auto const wrong = [&](std::uint32_t count, std::uint32_t step, auto const& round) {
        lkt::prepared_test test;
        test.expected = {output(count, step, nearest)};
        std::vector<double> exact;
        for (std::uint32_t k = 0; k < count; ++k)
            exact.push_back(
                static_cast<double>(std::bit_cast<float>(std::uint32_t{0x3fc00000} + k * step)));
        test.exact = {
            lkt::make_buffer({lkt::scalar_type::float64, 1}, std::span<double const>(exact))};
        test.bounds = {lkt::tolerance{0x1p-6, 0x1p-6}};
        test.limits = {lkt::error_limits{0x1p-6, 0x1p-6}};
        return lkt::judge_output(task, suite, test, 0, output(count, step, round)).has_value();
    };
    constexpr std::uint32_t odd = 12347, units = 0x10000;
    CHECK(wrong(256, odd, cut));
    CHECK(wrong(64, odd, cut));
    CHECK(wrong(256, odd, up));
    CHECK_FALSE(wrong(256, odd, nearest));
    CHECK_FALSE(wrong(256, odd, at_random)); // no direction
    CHECK_FALSE(wrong(16, odd, cut));        // too few
    CHECK_FALSE(wrong(64, units, cut));      // each is a value of the type
    task.properties.fast_math = true;
    CHECK_FALSE(wrong(256, odd, cut));
}
