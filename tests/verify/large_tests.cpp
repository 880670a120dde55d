// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/large_tests.hpp>

#include <doctest/doctest.h>

#include "steady_backend.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace {

std::vector<lkt::test_case> all_made(lkt::problem const& task,
                                     lkt::large_test_options const& how = {},
                                     double seconds_for_each = 1e-9) {
    test::steady_backend b;
    b.seconds_for_each = seconds_for_each;
    b.fake.kernels[task.reference.text] = test::doubling;
    auto tests = lkt::detail::large_tests(lkt::gpu_ref(b), task, {}, how);
    REQUIRE_MESSAGE(tests.has_value(), to_string(tests.error()));
    return *tests;
}
/// Of a problem with one extent, which there is at most one test of.
std::optional<lkt::test_case> made(lkt::problem const& task,
                                   lkt::large_test_options const& how = {},
                                   double seconds_for_each = 1e-9) {
    auto const tests = all_made(task, how, seconds_for_each);
    CHECK(tests.size() <= 1);
    return tests.empty() ? std::nullopt : std::optional(tests.front());
}
lkt::problem doubled(std::int64_t n) {
    auto task = test::doubling_problem(n);
    task.size_constraints = {lkt::expression::parse("N >= 1").value()};
    return task;
}

} // namespace

TEST_CASE("a size as large as a launch may take, with an odd extent") {
    auto const test = made(doubled(1024)); // of 1 ns for each element
    REQUIRE(test.has_value());
    auto const n = test->size[0].second;
    CHECK(n > 6'000'000);
    CHECK(n < 20'000'000);
    // What is counted decides, not the machine, unless that is very slow.
    CHECK(made(doubled(1024), {}, 1e-10)->size == test->size);
    CHECK(made(doubled(1024), {}, 3e-9)->size == test->size);
    CHECK(made(doubled(1024), {}, 1e-7)->size[0].second < n / 2);
    auto worked = doubled(1024);
    worked.work.operations = lkt::expression::parse("16 * N").value();
    CHECK(made(worked)->size[0].second < n / 8);
    CHECK(n % 2 == 1);
    CHECK(test->for_finalists);
    CHECK(test->origin == lkt::test_origin::large_size);
    CHECK(test->name == "hidden size, extents doubled 13 times"); // the size itself is not said
    CHECK(test->arguments[0].count() == static_cast<std::size_t>(n));
}

TEST_CASE("what limits a large size, and where there is none") {
    auto const small = made(doubled(1024), {.memory = lkt::bytes{std::uint64_t{1} << 20}});
    REQUIRE(small.has_value());
    CHECK(small->size[0].second <= 131072);
    CHECK_FALSE(made(test::doubling_problem(1024)).has_value());   // no constraints
    CHECK_FALSE(made(doubled(std::int64_t{1} << 24)).has_value()); // large already: two buffers
    auto even = doubled(1024);
    even.size_constraints.push_back(lkt::expression::parse("N % 64 == 0").value());
    CHECK(made(even).value().size[0].second % 64 == 0);
    auto wgsl = doubled(1024);
    wgsl.reference.language = lkt::language::wgsl;
    wgsl.reference.text = "fn f() { y[0] = x[0]; } // for all";
    CHECK(made(wgsl).value().size[0].second > 65536);
    wgsl.reference.text = "fn f() { for (var i = 0; i < 3; i++) { y[0] = x[0]; } }";
    CHECK(made(wgsl).value().size[0].second < 65536); // loops that a device may end
}

TEST_CASE("a single extent grows beyond 2^24 where the usual limits end before") {
    auto task = doubled(1024);
    auto const counted = [](std::vector<lkt::test_case> const& tests) {
        return std::ranges::count_if(
            tests, [](auto const& t) { return t.size[0].second > std::int64_t{1} << 24; });
    };
    lkt::large_test_options const some{.launch = lkt::seconds(0.5),
                                       .memory = {std::uint64_t{160} << 20}};
    CHECK(counted(all_made(task, some)) == 1);
    CHECK(counted(all_made(task, {.launch = lkt::seconds(0.02)})) == 0);
}

TEST_CASE("each of several extents grows alone, too, while the others are small") {
    auto task = doubled(1024);
    task.size = {{"N", 64}, {"M", 16}};
    auto const all = lkt::expression::parse("N * M").value();
    task.arguments[0].count = task.arguments[1].count = task.arguments[2].value = all;
    task.size_constraints = {lkt::expression::parse("N >= 1").value(),
                             lkt::expression::parse("M <= 4096").value()};
    CHECK(all_made(task).size() == 1); // that takes too long for a short run
    auto const tests = all_made(task, {.launch = lkt::seconds(0.5)});
    REQUIRE(tests.size() == 9);
    CHECK(tests[1].name == "hidden size, extent 1 grown alone");
    CHECK(tests[2].name == "hidden size, extent 1 grown alone beside a block");
    CHECK(tests[3].name == "hidden size, extent 1 grown alone, one value stands out");
    CHECK(tests[1].size[0].second > 1 << 24); // which a float counts to
    CHECK(tests[1].size[0].second % 2 == 1);
    CHECK(tests[1].size[1].second == 2);
    CHECK(tests[2].size[0].second > 1 << 20);
    CHECK(tests[2].size[1].second == 16);
    CHECK(tests[3].size[0].second > 500'000); // as far as 15 MiB go
    CHECK(tests[3].size[0].second < 1 << 20);
    CHECK(tests[4].size[0].second == 2);
    CHECK(tests[4].size[1].second > 4000);
    CHECK(tests[4].size[1].second <= 4096);
    // Constraints end it: there, one before, and with nothing beside it.
    CHECK(tests[5].name == "hidden size, extent 2 grown alone to its end, 1");
    CHECK(tests[5].size == lkt::problem_size{{"N", 2}, {"M", 4095}});
    CHECK(tests[6].size == lkt::problem_size{{"N", 2}, {"M", 4096}});
    CHECK(tests[7].size == lkt::problem_size{{"N", 1}, {"M", 4096}});
    for (auto const& test : tests) {
        CHECK(test.for_finalists);
        CHECK((test.origin == lkt::test_origin::grown_extent) == (&test != &tests[0]));
    }
    // Rows of that length, whose last value is far above the others.
    auto const value = [&](std::size_t lane) {
        return lkt::lane_as_double(tests[3].arguments[0], lane);
    };
    auto const length = static_cast<std::size_t>(tests[3].size[0].second);
    CHECK(value(length - 1) > value(length - 2) + 10);
    CHECK(value(length - 2) == value(0));
}
