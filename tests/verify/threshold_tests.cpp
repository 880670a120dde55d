// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/threshold_tests.hpp>

#include <doctest/doctest.h>

#include "conformance.hpp"
#include "fake_backend.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

namespace {

std::size_t count(lkt::argument_data const& data, double value) {
    std::size_t found = 0;
    for (std::size_t k = 0; k < data.lanes(); ++k) found += lkt::lane_as_double(data, k) == value;
    return found;
}
std::vector<lkt::test_case> made(lkt::problem const& task, std::vector<double> numbers) {
    auto tests = lkt::threshold_tests{.numbers = std::move(numbers)}.generate(task, {});
    REQUIRE_MESSAGE(tests.has_value(), to_string(tests.error()));
    return *tests;
}

} // namespace

TEST_CASE("numbers, their neighbours and their opposites become elements") {
    auto const task = test::doubling_problem(4096);
    auto const tests = made(task, {0.75, 1000});
    REQUIRE(tests.size() == 4); // no constraints, so no sizes; the last two lie beyond 1000
    for (auto const& t : tests) {
        CHECK(t.origin == lkt::test_origin::menu);
        CHECK(t.name.find("0.75") == std::string::npos); // names go to the model
    }
    for (auto const& t : {tests[0], tests[1]}) {
        auto const& x = t.arguments[0];
        for (double const v : {0.75, -0.75, 0.75 + 0x1p-24, 0.75 - 0x1p-24, 1000.0, -1000.0})
            CHECK(count(x, v) > 0);
    }
    CHECK(lkt::lane_as_double(tests[1].arguments[0], 0) == 0.75); // in order, from the first on
    CHECK(made(task, {}).empty());
}

TEST_CASE("so do magnitudes whose products are about as large") {
    for (double const number : {1e30, 1e-8}) {
        auto const tests = made(test::doubling_problem(4096), {number});
        bool const scaled = std::any_of(tests.begin(), tests.end(), [&](auto const& t) {
            auto const& x = t.arguments[0];
            std::size_t near = 0;
            for (std::size_t k = 0; k < x.lanes(); ++k) {
                double const square = lkt::lane_as_double(x, k) * lkt::lane_as_double(x, k);
                near += square > number / 4.01 && square < number * 4.01;
            }
            return near == x.lanes();
        });
        CHECK(scaled);
    }
}

TEST_CASE("a number that may stand for infinity, and what lies beyond it, comes with one sign") {
    using lkt::scalar_type;
    for (auto const& [type, number, extreme] : {std::tuple(scalar_type::float32, 3e38, true),
                                                std::tuple(scalar_type::bfloat16, 3e38, true),
                                                std::tuple(scalar_type::float16, -6e4, true),
                                                std::tuple(scalar_type::float16, -1e3, true),
                                                std::tuple(scalar_type::bfloat16, -1e4, true),
                                                std::tuple(scalar_type::float32, -1e3, true),
                                                std::tuple(scalar_type::float16, 1024.0, false),
                                                std::tuple(scalar_type::float32, 96.0, false),
                                                std::tuple(scalar_type::float32, 0.7, false)}) {
        auto task = test::doubling_problem(512);
        task.signature.arguments[0].type.scalar = type;
        int found = 0;
        for (auto const& t : made(task, {number})) {
            auto const& x = t.arguments[0];
            double low = HUGE_VAL, high = -HUGE_VAL;
            for (std::size_t k = 0; k < x.lanes(); ++k) {
                low = std::min(low, lkt::lane_as_double(x, k));
                high = std::max(high, lkt::lane_as_double(x, k));
            }
            bool const beyond = low * high > 0 && std::min(std::fabs(low), std::fabs(high)) >
                                                      0.99 * std::fabs(number);
            found += beyond && high - low > 0.01 * std::fabs(number) && std::isfinite(high - low);
        }
        CHECK(found == (extreme ? 2 : 0));
        task.arguments[0].max = 100, task.arguments[0].min = -100;
        for (auto const& t : made(task, {number}))
            CHECK(std::fabs(lkt::lane_as_double(t.arguments[0], 0)) <= 100);
    }
}

TEST_CASE("an extent that is too large alone comes with less in the other directions") {
    auto task = test::doubling_problem(64);
    task.size_constraints = {lkt::expression::parse("N >= 1").value()};
    for (auto const& t : made(task, {0x1p20}))
        if (t.origin == lkt::test_origin::hidden_size) {
            CHECK(t.size.front().second > 1'000'000);
            CHECK(t.size.front().second < 1'100'000);
        }
}

TEST_CASE("the neighbours of narrow types, and of whole numbers") {
    for (auto const& [type, below, above] :
         {std::tuple(lkt::scalar_type::float16, 0.74951171875, 0.75048828125),
          std::tuple(lkt::scalar_type::bfloat16, 0.74609375, 0.75390625),
          std::tuple(lkt::scalar_type::float64, 0.75 - 0x1p-53, 0.75 + 0x1p-53)}) {
        auto task = test::doubling_problem(4096);
        task.signature.arguments[0].type.scalar = type;
        for (auto const& t : made(task, {0.75}))
            for (double const v : {0.75, below, above, -below, -above})
                CHECK(count(t.arguments[0], v) > 0);
    }
    auto task = test::doubling_problem(4096);
    task.signature.arguments[0].type.scalar = lkt::scalar_type::int32;
    task.arguments[0].fill = lkt::uniform{-2000, 2000};
    for (auto const& t : made(task, {1234, 0.5}))
        for (double const v : {1234., 1233., 1235., -1234.}) CHECK(count(t.arguments[0], v) > 0);
}

TEST_CASE("what is not fair is left out") {
    auto task = test::doubling_problem(512);
    task.arguments[0].min = 0;
    task.arguments[0].max = 2;
    for (auto const& t : made(task, {0.5, 7})) {
        CHECK(count(t.arguments[0], 0.5) > 0);
        CHECK(count(t.arguments[0], -0.5) == 0);
        CHECK(count(t.arguments[0], 7) == 0);
    }
    CHECK(made(task, {7}).empty());
    auto const wide = test::doubling_problem(512);
    for (auto const& t : made(wide, {3e38, 0.5})) CHECK(count(t.arguments[0], 3e38) == 0);
}

TEST_CASE("whole numbers become extents, where constraints say what is allowed") {
    auto task = test::doubling_problem(64);
    task.size_constraints = {lkt::expression::parse("N >= 1").value(),
                             lkt::expression::parse("N % 2 == 0").value(),
                             lkt::expression::parse("N <= 5000").value()};
    std::vector<std::int64_t> extents;
    for (auto const& t : made(task, {100, 333, 0.5, 9999}))
        if (t.origin == lkt::test_origin::hidden_size) {
            extents.push_back(t.size.front().second);
            CHECK(t.name.find(std::to_string(extents.back())) == std::string::npos);
        }
    CHECK(extents == std::vector<std::int64_t>{100, 200, 666, 146, 376, 334, 332});
}

TEST_CASE("and numbers of blocks") {
    auto task = test::doubling_problem(64);
    task.size_constraints = {lkt::expression::parse("N >= 1").value()};
    lkt::launch_formula launch;
    launch.grid[0] = lkt::expression::parse("ceil_div(N, 4 * BLOCK)").value();
    lkt::threshold_tests const how{
        .numbers = {53}, .launch = &launch, .config = {{{"BLOCK", std::int64_t{64}}}}};
    auto const tests = how.generate(task, {}).value();
    CHECK(std::any_of(tests.begin(), tests.end(), [](lkt::test_case const& t) {
        auto const n = t.size.front().second;
        return n > 52 * 256 && n <= 53 * 256;
    }));
}

TEST_CASE("numbers that follow each other become several extents at once") {
    auto task = test::doubling_problem(64);
    task.size.emplace_back("M", 8);
    task.size_constraints = {lkt::expression::parse("N >= 1").value(),
                             lkt::expression::parse("M >= 1").value(),
                             lkt::expression::parse("M <= 50").value()};
    std::size_t found = 0;
    for (auto const& t : made(task, {37, 91, 19}))
        found += t.size == lkt::problem_size{{"N", 91}, {"M", 37}} ||
                 t.size == lkt::problem_size{{"N", 91}, {"M", 19}};
    CHECK(found == 2);
}

TEST_CASE("a part of what lies beyond a number has no other values beside") {
    auto const task = test::doubling_problem(4096);
    auto const x = made(task, {100})[1].arguments[0];
    std::size_t most = 0, now = 0;
    for (std::size_t k = 0; k < x.lanes(); ++k) {
        double const v = lkt::lane_as_double(x, k);
        now = v < -100.001 && v >= -200.001 ? now + 1 : 0;
        most = std::max(most, now);
    }
    CHECK(most > 300);
}

TEST_CASE("numbers of a text become values of scalars that may vary") {
    auto task = test::doubling_problem(4096);
    task.arguments[2].value = lkt::expression::parse("900").value();
    std::vector<std::int32_t> values;
    for (auto const& t : made(task, {0.75, 100, 5000})) {
        CHECK(t.name.find("100") == std::string::npos);
        auto const n = t.arguments[2].lane<std::int32_t>(0);
        if (n != 900) values.push_back(n);
    }
    CHECK(values == std::vector<std::int32_t>{100, 200, 101, 99});
}

TEST_CASE("a number that a scalar's type lacks is left out") {
    auto task = test::doubling_problem(64);
    task.arguments[2].value = lkt::expression::parse("9").value();
    task.arguments[2].min = 0; // and no upper end
    for (auto const& t : made(task, {5e9, 100})) CHECK(t.arguments[2].lane<std::int32_t>(0) <= 200);
}

TEST_CASE("some numbers are extents with 1 in all other directions") {
    lkt::problem task = test::doubling_problem(4096);
    task.size = {{"N", 512}, {"rows", 8}};
    task.size_constraints.push_back(*lkt::expression::parse("min(ProblemSize) >= 1"));
    for (std::size_t const k : {0, 1})
        task.arguments[k].count = *lkt::expression::parse("rows * N");
    auto const tests = lkt::threshold_tests{.alone = {5500, 7.5}}.generate(task, {});
    REQUIRE_MESSAGE(tests.has_value(), to_string(tests.error()));
    REQUIRE(tests->size() == 2);
    CHECK((*tests)[0].size == lkt::problem_size{{"N", 5500}, {"rows", 1}});
    CHECK((*tests)[1].size == lkt::problem_size{{"N", 1}, {"rows", 5500}});
}
