// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/floor.hpp>

#include <doctest/doctest.h>

#include "fake_backend.hpp"

#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace {

lkt::device_description h200() {
    lkt::device_description d;
    d.name = "H200";
    d.l2 = lkt::bytes{std::uint64_t{50} << 20};
    d.memory_bandwidth = 4.8e12;
    return d;
}

/// x -> y over n floats, and what is expected of y, which `before` becomes.
lkt::test_suite suite_of(std::size_t n, lkt::direction flow, std::size_t changed) {
    lkt::test_suite suite;
    suite.directions = {lkt::direction::in, flow, lkt::direction::in};
    lkt::prepared_test test;
    std::vector<float> const before(n, 1.0F);
    auto after = before;
    for (std::size_t k = 0; k < changed; ++k) after[k * (n / changed)] = 2;
    auto const buffer = [](std::vector<float> const& v) {
        return lkt::make_buffer({lkt::scalar_type::float32, 1}, std::span<float const>(v));
    };
    test.test.arguments = {buffer(before), buffer(before), {}};
    test.expected = {buffer(after)};
    suite.tests.push_back(std::move(test));
    return suite;
}

lkt::measurement taking(double s) { return {{lkt::seconds{s}}}; }

} // namespace

TEST_CASE("floor: outputs have to be written, and what changes in place") {
    auto task = test::doubling_problem();
    CHECK(lkt::compulsory_bytes(task, suite_of(1000, lkt::direction::out, 10)) == 4000);
    CHECK(lkt::compulsory_bytes(task, suite_of(1000, lkt::direction::inout, 10)) == 40);
    task.arguments[1].scratch = true;
    CHECK(lkt::compulsory_bytes(task, suite_of(1000, lkt::direction::out, 10)) == 0);
}

TEST_CASE("floor: no device moves bytes faster than its memory takes them") {
    auto const d = h200();
    std::uint64_t const gib = std::uint64_t{1} << 30;
    // (2^30 - 50 * 2^20) bytes at 1.1 * 4.8e12 bytes a second.
    CHECK(lkt::min_time(d, gib).count() == doctest::Approx(1.9343e-4).epsilon(1e-3));
    CHECK(lkt::min_time(d, 2 * d.l2.count).count() == 0); // it may all stay in the cache
    CHECK(lkt::min_time(d, 2 * d.l2.count + 4).count() > 0);
    auto unknown = d;
    unknown.memory_bandwidth = 0;
    CHECK(lkt::min_time(unknown, gib).count() == 0);
    unknown = d;
    unknown.l2 = {};
    CHECK(lkt::min_time(unknown, gib).count() == 0);
}

TEST_CASE("floor: a time that cannot be is implausible") {
    auto const task = test::doubling_problem();
    auto const d = h200();
    auto const small = suite_of(1000, lkt::direction::out, 10);
    CHECK(!lkt::check_time(taking(1e-9), d, task, small));
    for (double const none : {0.0, -1e-6, std::numeric_limits<double>::quiet_NaN()}) {
        auto const why = lkt::check_time(taking(none), d, task, small);
        REQUIRE(why.has_value());
        CHECK(lkt::verdict_of(*why) == lkt::verdict::timing_invalid);
    }
    CHECK(lkt::check_time({}, d, task, small).has_value());

    auto narrow = d; // so that the test need not be large
    narrow.l2 = lkt::bytes{1000};
    narrow.memory_bandwidth = 1e9;
    // 3000 bytes at 1.1e9 bytes a second: 2.7 us.
    CHECK(!lkt::check_time(taking(2.8e-6), narrow, task, small));
    auto const fast = lkt::check_time(taking(2.6e-6), narrow, task, small);
    REQUIRE(fast.has_value());
    REQUIRE(std::holds_alternative<lkt::implausible>(*fast));
    auto const& told = std::get<lkt::implausible>(*fast).what;
    CHECK(told.find("H200 needs at least") != std::string::npos);
    CHECK(told.find("GB/s where its memory has 1 GB/s on paper") != std::string::npos);
}
