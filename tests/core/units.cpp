// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/units.hpp>

#include <doctest/doctest.h>

#include <limits>

using lkt::seconds;
using lkt::to_string; // a std::chrono type: argument-dependent lookup would look in std

TEST_CASE("a duration prints with the unit that fits") {
    CHECK(to_string(seconds(4.8e-3)) == "4.8 ms");
    CHECK(to_string(seconds(730e-9)) == "730 ns");
    CHECK(to_string(seconds(12.5e-6)) == "12.5 us");
    CHECK(to_string(seconds(3.25)) == "3.25 s");
    CHECK(to_string(seconds(0)) == "0 s");
    CHECK(to_string(seconds(-2e-3)) == "-2 ms");
}

TEST_CASE("rounding never prints a thousand of a smaller unit") {
    CHECK(to_string(seconds(999.96e-6)) == "1 ms");
    CHECK(to_string(seconds(999.4e-6)) == "999.4 us");
    CHECK(to_string(seconds(0.99996)) == "1 s");
}

TEST_CASE("what is not a number says so") {
    CHECK(to_string(seconds(std::numeric_limits<double>::quiet_NaN())) == "unknown");
    CHECK(to_string(seconds(std::numeric_limits<double>::infinity())) == "inf s");
}

TEST_CASE("std::chrono units convert without a cast, and without rounding to ticks") {
    seconds const t = std::chrono::microseconds(1500);
    CHECK(to_string(t) == "1.5 ms");
    CHECK(seconds(std::chrono::duration<double, std::nano>(0.5)).count() == doctest::Approx(5e-10));
}

TEST_CASE("bytes print in powers of 1024") {
    CHECK(to_string(lkt::bytes{12}) == "12 B");
    CHECK(to_string(lkt::bytes{1536}) == "1.5 KiB");
    CHECK(to_string(lkt::bytes{std::uint64_t{80} << 30}) == "80 GiB");
    CHECK(lkt::bytes{1} < lkt::bytes{2});
}
