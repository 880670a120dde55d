// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/region_tests.hpp>

#include <doctest/doctest.h>

#include <lkt/kernel/argument_data.hpp>

#include "fake_backend.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

static_assert(lkt::test_generator<lkt::region_tests>);

namespace {

/// A field of 256 x 192 integers.
lkt::problem field(double low, double high) {
    auto task = test::doubling_problem(64);
    task.size = {{"N", 256}, {"H", 192}};
    for (std::size_t k : {0, 1}) {
        task.signature.arguments[k].type.scalar = lkt::scalar_type::int32;
        task.arguments[k].count = lkt::expression::parse("N * H").value();
    }
    task.arguments[0].min = low, task.arguments[0].max = high;
    return task;
}

} // namespace

TEST_CASE("regions of the size of a tile are empty, full, or all but one") {
    auto const tests = lkt::region_tests{.seed = 5}.generate(field(0, 1), {});
    REQUIRE(tests.has_value());
    CHECK(tests->size() == 6);
    std::set<std::pair<std::size_t, std::size_t>> counts; // of living ones in tiles of 32 x 8
    int full = 0;                                         // where rows are 256 long
    for (auto const& t : *tests) {
        CHECK(t.origin == lkt::test_origin::menu);
        CHECK(t.name.find("regions") != std::string::npos);
        std::size_t most = 0, tiles = 0, others = 0;
        for (std::size_t y = 0; y < 192; y += 8)
            for (std::size_t x = 0; x < 256; x += 32, ++tiles) {
                std::size_t living = 0;
                for (std::size_t i = 0; i < 256; ++i) {
                    double const v =
                        lkt::lane_as_double(t.arguments[0], (y + i / 32) * 256 + x + i % 32);
                    others += v != 0 && v != 1 ? 1 : 0;
                    living += v == 1 ? 1 : 0;
                }
                counts.insert({tiles % 2, living});
                most = std::max(most, living);
            }
        CHECK(others == 0);
        full += most == 256 ? 1 : 0;
    }
    CHECK(full >= 3);
    for (std::size_t const living : {0, 1, 255, 256})
        CHECK((counts.contains({0, living}) || counts.contains({1, living})));
    CHECK(tests->front().arguments[0].bytes != tests->back().arguments[0].bytes);
}

TEST_CASE(
    "regions: three tests where not all are asked for, by the seed with these rows or those") {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        auto const tests = lkt::region_tests{.seed = seed, .all = false}.generate(field(0, 1), {});
        REQUIRE(tests.has_value());
        CHECK(tests->size() == 3);
    }
}

TEST_CASE("regions: only of inputs that may be 0 and something else") {
    CHECK(lkt::region_tests{}.generate(field(1, 5), {})->empty());
    CHECK(lkt::region_tests{}.generate(field(0, 0), {})->empty());
    auto const negative = lkt::region_tests{.seed = 5}.generate(field(-7, 0), {});
    REQUIRE(negative->size() == 6);
    std::set<double> values;
    for (std::size_t i = 0; i < 256 * 192; ++i)
        values.insert(lkt::lane_as_double(negative->front().arguments[0], i));
    CHECK(values.contains(0));
    CHECK(values.size() > 1);
    CHECK(*values.begin() >= -7);
}
