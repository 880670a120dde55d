// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/long_tests.hpp>

#include <doctest/doctest.h>

#include <lkt/kernel/argument_data.hpp>

#include "fake_backend.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

static_assert(lkt::test_generator<lkt::long_tests>);

namespace {

/// y = A v for whole numbers of 8 bits, with rows of at most 65536.
lkt::problem product() {
    auto task = test::doubling_problem(64);
    task.size = {{"M", 64}, {"N", 64}};
    auto const bytes = lkt::scalar_type::int8;
    lkt::argument& a = task.signature.arguments[0];
    a.type.scalar = bytes;
    lkt::argument x = a;
    x.name = "v";
    task.signature.arguments.insert(task.signature.arguments.begin() + 1, x);
    task.arguments.insert(task.arguments.begin() + 1, task.arguments[0]);
    task.arguments[0].count = lkt::expression::parse("M * N").value();
    task.arguments[1].count = lkt::expression::parse("N").value();
    task.arguments[2].count = lkt::expression::parse("M").value();
    for (std::size_t k : {0, 1}) task.arguments[k].min = -128, task.arguments[k].max = 127;
    task.size_constraints = {lkt::expression::parse("N <= 65536").value(),
                             lkt::expression::parse("M * N <= 2**18").value()};
    return task;
}

/// The sum of products of row `m`.
double dot(lkt::test_case const& t, std::size_t m, std::size_t k) {
    double sum = 0;
    for (std::size_t i = 0; i < k; ++i)
        sum +=
            lkt::lane_as_double(t.arguments[0], m * k + i) * lkt::lane_as_double(t.arguments[1], i);
    return sum;
}

} // namespace

TEST_CASE("rows as long as may be cancel, overflow, and have other lengths") {
    auto const task = product();
    auto const tests = lkt::long_tests{.seed = 3}.generate(task, {});
    REQUIRE(tests.has_value());
    CHECK(tests->size() >= 8);
    CHECK(tests->size() <= 16);
    bool overflows = false, cancels = false;
    std::set<std::int64_t> lengths;
    for (auto const& t : *tests) {
        CHECK(t.origin == lkt::test_origin::long_rows);
        CHECK(t.for_finalists);
        CHECK(t.name.find("65536") == std::string::npos); // names go to the model
        auto const m = static_cast<std::size_t>(t.size[0].second),
                   k = static_cast<std::size_t>(t.size[1].second);
        CHECK(k <= 65536);
        CHECK(m * k <= std::size_t{1} << 18);
        if (k < 16384) continue;
        lengths.insert(t.size[1].second);
        for (std::size_t row = 0; row < m; ++row) {
            double const sum = dot(t, row, k);
            double partial = 0, largest = 0;
            for (std::size_t i = 0; i < k; ++i) {
                partial += lkt::lane_as_double(t.arguments[0], row * k + i) *
                           lkt::lane_as_double(t.arguments[1], i);
                largest = std::max(largest, std::fabs(partial));
            }
            overflows = overflows || sum == 0x1p30; // twice that is no int
            cancels = cancels || (largest > 0x1p28 && sum != 0 && std::fabs(sum) <= 128);
        }
    }
    CHECK(overflows);
    CHECK(cancels);
    CHECK(lengths.contains(65536));
    CHECK(lengths.size() >= 4);

    auto unconstrained = task;
    unconstrained.size_constraints.clear();
    CHECK(lkt::long_tests{}.generate(unconstrained, {})->empty());
}

TEST_CASE("where the nearest row is looked for, one is what the other input has") {
    auto task = product();
    for (std::size_t k : {0, 1}) {
        task.signature.arguments[k].type.scalar = lkt::scalar_type::float32;
        task.arguments[k].min.reset(), task.arguments[k].max.reset();
    }
    auto const same_rows = [&](lkt::test_case const& t) {
        auto const m = static_cast<std::size_t>(t.size[0].second),
                   n = static_cast<std::size_t>(t.size[1].second);
        std::set<std::size_t> same;
        for (std::size_t row = 0; row < m; ++row) {
            bool all = true;
            for (std::size_t i = 0; all && i < n; ++i)
                all = lkt::lane_as_double(t.arguments[0], row * n + i) ==
                      lkt::lane_as_double(t.arguments[1], i);
            if (all) same.insert(row);
        }
        return same;
    };
    auto const matching = [&] {
        std::set<std::size_t> found;
        auto const tests = lkt::long_tests{.seed = 3}.generate(task, {});
        REQUIRE(tests.has_value());
        for (auto const& t : *tests)
            if (auto const same = same_rows(t); t.size[0].second > 2 && same.size() == 1)
                found.insert(*same.begin());
        return found;
    };
    CHECK(matching().empty()); // no integers come of floats
    task.signature.arguments[2].type.scalar = lkt::scalar_type::int32;
    auto const found = matching();
    CHECK(found.contains(1));
    CHECK(*found.rbegin() > 1000); // among many, near the last
    CHECK(*found.rbegin() % 2 == 1);
}
