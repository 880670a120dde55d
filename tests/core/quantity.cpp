// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/quantity.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <concepts>
#include <limits>

using namespace lkt;

namespace {

template <class X, class Y>
concept added = requires(X x, Y y) { x + y; };
template <class X, class Y>
concept subtracted = requires(X x, Y y) { x - y; };
template <class X, class Y>
concept compared = requires(X x, Y y) { x < y; };

} // namespace

TEST_CASE("quantity: products and quotients have their dimension; a ratio is a number") {
    static_assert(std::same_as<decltype(flop_count(6) / seconds(2)), flop_rate>);
    static_assert(std::same_as<decltype(flop_rate(6) / byte_rate(2)), flop_per_byte>);
    static_assert(std::same_as<decltype(flop_count(6) / byte_count(2)), flop_per_byte>);
    static_assert(std::same_as<decltype(byte_rate(6) * flop_per_byte(2)), flop_rate>);
    static_assert(std::same_as<decltype(byte_rate(6) * seconds(2)), byte_count>);
    static_assert(std::same_as<decltype(seconds(2) * byte_rate(6)), byte_count>);
    static_assert(std::same_as<decltype(byte_count(6) / byte_rate(2)), seconds>);
    static_assert(std::same_as<decltype(flop_rate(6) / teraflop_per_second), double>);
    static_assert(std::same_as<decltype(seconds(6) / seconds(2)), double>); // not seconds
    static_assert(std::same_as<decltype(watts(300) * seconds(2)), joules>);
    static_assert(std::same_as<decltype(joules(6) / watts(2)), seconds>);
    static_assert(std::same_as<decltype(flop_rate(6) / watts(2)), flop_per_joule>);
    static_assert(std::same_as<decltype(flop_count(6) / joules(2)), flop_per_joule>);
    static_assert(sizeof(flop_rate) == sizeof(double));
    static_assert(flop_count(6) / seconds(2) == flop_rate(3));
    static_assert(byte_count(6) / byte_rate(2) == seconds(3));
    static_assert(2 * flop_rate(3) - flop_rate(1) + flop_rate(1) == flop_rate(3) * 2);
    static_assert(flop_count(1) / std::chrono::milliseconds(1) == flop_rate(1000));
}

TEST_CASE("quantity: what has another dimension is neither added, compared nor taken for it") {
    static_assert(added<flop_rate, flop_rate> && subtracted<byte_rate, byte_rate>);
    static_assert(compared<flop_rate, flop_rate>);
    static_assert(!added<flop_rate, byte_rate> && !added<flop_count, flop_rate>);
    static_assert(!subtracted<flop_rate, byte_rate> && !added<flop_rate, double>);
    static_assert(!added<joules, watts> && !compared<joules, flop_count>);
    static_assert(!compared<flop_rate, byte_rate> && !compared<flop_rate, double>);
    static_assert(!std::convertible_to<double, flop_rate> &&
                  !std::convertible_to<flop_rate, double>);
    static_assert(!std::convertible_to<byte_rate, flop_rate>);
    // A quotient of unlike ones is neither a number nor one of them.
    using unlike = decltype(byte_count(6) / flop_rate(2));
    static_assert(!std::convertible_to<unlike, double> && !std::convertible_to<unlike, seconds> &&
                  !std::convertible_to<unlike, byte_count> && !compared<unlike, flop_per_byte>);
    // Small ones differ as large ones do.
    static_assert(seconds(1e-12) < seconds(2e-12) && flop_rate(1e-11) != flop_rate());
}

TEST_CASE("quantity: the prefix that fits, and never a thousand of a smaller one") {
    CHECK(to_string(flop_rate(989.4e12)) == "989.4 TFLOP/s");
    CHECK(to_string(byte_rate(3.352e12)) == "3.352 TB/s");
    CHECK(to_string(byte_rate(999.96e9)) == "1 TB/s");
    CHECK(to_string(byte_rate(999.4e9)) == "999.4 GB/s");
    CHECK(to_string(flop_count(96)) == "96 FLOP");
    CHECK(to_string(flop_count(2e15)) == "2 PFLOP");
    CHECK(to_string(byte_count(1500)) == "1.5 kB");
    CHECK(to_string(watts(700) * seconds(60)) == "42 kJ");
    CHECK(to_string(watts(700)) == "700 W");
    CHECK(to_string(flop_rate(989.4e12) / watts(700)) == "1.413 TFLOP/J");
    CHECK(to_string(flop_per_byte(0.25)) == "0.25 FLOP/B");
    CHECK(to_string(flop_per_byte(1365.3)) == "1365 FLOP/B");
    CHECK(to_string(flop_rate()) == "0 FLOP/s");
    CHECK(to_string(flop_rate(-2e9)) == "-2 GFLOP/s");
    CHECK(to_string(flop_rate(std::nan(""))) == "unknown");
    CHECK(to_string(flop_rate(std::numeric_limits<double>::infinity())) == "inf FLOP/s");
}
