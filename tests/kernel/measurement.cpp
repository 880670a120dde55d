// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/measurement.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

lkt::measurement of_milliseconds(std::vector<double> const& values) {
    lkt::measurement m;
    for (double const v : values) m.samples.emplace_back(v * 1e-3);
    return m;
}

/// 1, 2, ..., n milliseconds, in an order that is not ascending.
lkt::measurement ladder(int n) {
    lkt::measurement m;
    for (int i = 0; i < n; ++i) m.samples.emplace_back(1e-3 * (1 + (i * 7919) % n));
    return m;
}

double milliseconds(lkt::seconds t) { return t.count() * 1e3; }

} // namespace

TEST_CASE("median and minimum") {
    CHECK(milliseconds(of_milliseconds({3, 1, 2}).median()) == doctest::Approx(2));
    CHECK(milliseconds(of_milliseconds({4, 1, 3, 2}).median()) == doctest::Approx(2.5));
    CHECK(milliseconds(of_milliseconds({4, 1, 3, 2}).minimum()) == doctest::Approx(1));
    CHECK(std::isnan(lkt::measurement{}.median().count()));
    CHECK(std::isnan(lkt::measurement{}.minimum().count()));
}

TEST_CASE("the interval's ranks are those of the published table") {
    // Two-sided 95 % intervals for the median: ranks k and n + 1 - k.
    struct row {
        int n, low, high;
    };
    for (row const r : {row{6, 1, 6},
                        {7, 1, 7},
                        {8, 1, 8},
                        {9, 2, 8},
                        {10, 2, 9},
                        {15, 4, 12},
                        {20, 6, 15},
                        {25, 8, 18},
                        {50, 18, 33},
                        {100, 40, 61}}) {
        CAPTURE(r.n);
        auto const [low, high] = ladder(r.n).interval();
        CHECK(milliseconds(low) == doctest::Approx(r.low));
        CHECK(milliseconds(high) == doctest::Approx(r.high));
        CHECK(milliseconds(ladder(r.n).noise()) == doctest::Approx((r.high - r.low) / 2.0));
    }
}

TEST_CASE("an interval of very many samples does not underflow") {
    // The normal approximation gives 5000 -+ 98 of 10000.
    auto const [low, high] = ladder(10000).interval();
    CHECK(milliseconds(low) == doctest::Approx(4902).epsilon(0.001));
    CHECK(milliseconds(high) == doctest::Approx(5099).epsilon(0.001));
}

TEST_CASE("five samples say nothing of the median with 95 % confidence") {
    for (int n = 0; n < 6; ++n) {
        CHECK(ladder(n).interval().second.count() == std::numeric_limits<double>::infinity());
        CHECK(std::isinf(ladder(n).noise().count()));
    }
    CHECK(compare(ladder(5), of_milliseconds({100, 100, 100, 100, 100, 100})) ==
          lkt::comparison::undecided);
    CHECK(compare(lkt::measurement{}, lkt::measurement{}) == lkt::comparison::undecided);
}

TEST_CASE("faster only if the intervals do not meet") {
    auto const fast = of_milliseconds({1, 1.1, 1.2, 1.1, 1, 1.1});
    auto const slow = of_milliseconds({2, 2.1, 2.2, 2.1, 2, 2.1});
    auto const wide = of_milliseconds({1.15, 1, 3, 2, 1.5, 2});
    CHECK(compare(fast, slow) == lkt::comparison::faster);
    CHECK(compare(slow, fast) == lkt::comparison::slower);
    CHECK(compare(fast, wide) == lkt::comparison::undecided);
    CHECK(compare(fast, fast) == lkt::comparison::undecided);
}

TEST_CASE("a sample that is not a number is never fast") {
    auto m = of_milliseconds({1, 2, 3, 4, 5, 6});
    m.samples.insert(m.samples.begin(), lkt::seconds(std::nan("")));
    CHECK(milliseconds(m.minimum()) == doctest::Approx(1));
    CHECK(milliseconds(m.median()) == doctest::Approx(4));
    CHECK(compare(m, of_milliseconds({8, 8, 8, 8, 8, 8})) == lkt::comparison::undecided);
}

TEST_CASE("text has one unit") {
    CHECK(to_string(of_milliseconds({4.8, 4.7, 4.9, 4.8, 4.7, 4.9})) ==
          "4.8 ms +- 0.1 ms (6 samples)");
    CHECK(to_string(of_milliseconds({4.8})) == "4.8 ms (1 sample)");
    CHECK(to_string(of_milliseconds({0.002, 0.002})) == "2 us (2 samples)");
    CHECK(to_string(lkt::measurement{}) == "no samples");
}

TEST_CASE("noise is written as a number is, however large") {
    lkt::measurement m;
    for (double us : {600., 700., 750., 793.4, 900., 1000., 1100.})
        m.samples.emplace_back(us * 1e-6);
    CHECK(to_string(m) == "793.4 us +- 250 us (7 samples)");
}
