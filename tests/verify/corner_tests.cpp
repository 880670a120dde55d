// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/corner_tests.hpp>

#include <doctest/doctest.h>

#include "conformance.hpp"
#include "fake_backend.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

static_assert(lkt::test_generator<lkt::corner_tests>);

namespace {

lkt::expression parsed(char const* text) { return lkt::expression::parse(text).value(); }

std::vector<lkt::test_case> made(lkt::problem const& task, lkt::corner_tests const& how = {}) {
    auto tests = how.generate(task, {});
    REQUIRE_MESSAGE(tests.has_value(), to_string(tests.error()));
    return *tests;
}

} // namespace

TEST_CASE("a scalar that may vary takes both ends of its bounds") {
    auto task = test::doubling_problem(64);
    CHECK(made(task).empty()); // the only scalar follows from the size
    task.arguments[2].value = parsed("40");
    auto const whole = made(task);
    REQUIRE(whole.size() == 2);
    CHECK(whole[0].arguments[2].lane<std::int32_t>(0) == 1);
    CHECK(whole[1].arguments[2].lane<std::int32_t>(0) == 40);
    CHECK(whole[0].name == "N=64, lower end of `n`");
    task.arguments[2].min = 3.5;
    task.arguments[2].max = 9.5;
    CHECK(made(task)[0].arguments[2].lane<std::int32_t>(0) == 4);
    CHECK(made(task)[1].arguments[2].lane<std::int32_t>(0) == 9);
    task.arguments[2]
        .max.reset(); // without an end: 64 times the usual value, or what products bear
    CHECK(made(task)[0].arguments[2].lane<std::int32_t>(0) == 4);
    CHECK(made(task)[1].arguments[2].lane<std::int32_t>(0) == 2563);
    task.signature.arguments[2].type = {lkt::scalar_type::float32, 1};
    CHECK(made(task)[0].arguments[2].lane<float>(0) == 3.5F);
    CHECK(made(task)[1].arguments[2].lane<float>(0) == 1e4F);
    task.arguments[2].min.reset();
    CHECK(made(task).empty()); // without a domain there is no end to test
}

TEST_CASE("several scalars: each alone, and all at once") {
    auto task = test::doubling_problem(64);
    task.arguments[2].value = parsed("30");
    task.arguments[2].min = 1;
    task.arguments[2].max = 40;
    auto second = task.signature.arguments[2];
    second.name = "m";
    second.type = {lkt::scalar_type::float32, 1};
    task.signature.arguments.push_back(second);
    task.arguments.push_back(task.arguments[2]);
    task.arguments[3].value = parsed("0.5");
    task.arguments[3].min = -1;
    task.arguments[3].max = 2;
    std::set<std::pair<std::int32_t, float>> seen;
    for (auto const& t : made(task))
        seen.insert({t.arguments[2].lane<std::int32_t>(0), t.arguments[3].lane<float>(0)});
    for (auto const& wanted : std::vector<std::pair<std::int32_t, float>>{{1, -1.F}, {40, 2.F}})
        CHECK(seen.contains(wanted));
    CHECK(seen.size() == 6);
}

TEST_CASE("two extents that are equal, next to each other, or twice as large") {
    auto task = test::doubling_problem(64);
    task.size = {{"A", 100}, {"B", 200}, {"N", 300}};
    CHECK(made(task).empty());
    task.size_constraints = {parsed("A % 2 == 0"), parsed("min(ProblemSize) >= 1")};
    auto const tests = made(task, {.sizes = 100});
    std::set<std::pair<int, std::int64_t>> relations;
    std::set<lkt::problem_size> sizes;
    for (auto const& t : tests) {
        CHECK(t.origin == lkt::test_origin::hidden_size);
        CHECK(t.size[0].second % 2 == 0);
        CHECK(sizes.insert(t.size).second);
        for (int d = 0; d < 3; ++d) {
            auto const one = t.size[static_cast<std::size_t>(d)].second,
                       next = t.size[static_cast<std::size_t>((d + 1) % 3)].second;
            for (std::int64_t const apart : {-1, 0, 1})
                if (next == one + apart) relations.insert({d, apart});
            if (next == 2 * one) relations.insert({d, 2});
        }
    }
    CHECK(relations.size() == 12);
    CHECK(made(task, {.sizes = 5}).size() == 5 + 5 + 3); // an odd first extent is not fair
    std::set<std::pair<std::size_t, std::int64_t>> shortest;
    for (auto const& t : made(task, {.sizes = 0})) {
        if (t.name.find("short") != std::string::npos) {
            for (std::size_t d = 0; d < 3; ++d) shortest.insert({d, t.size[d].second});
            continue;
        }
        auto const beyond = [](auto const& extent) { return extent.second > 65536; };
        CHECK(std::count_if(t.size.begin(), t.size.end(), beyond) == 1);
    }
    for (std::size_t d = 0; d < 3; ++d) CHECK(shortest.contains({d, 2}));
}

TEST_CASE("a size that a type cannot count to is left out") {
    auto task = test::doubling_problem(64);
    task.size_constraints = {parsed("N >= 1")};
    CHECK(made(task).size() == 3); // 1, 2, 65537
    task.signature.arguments[0].type.scalar = lkt::scalar_type::uint16;
    task.arguments[0].fill = lkt::permutation{};
    CHECK(made(task).size() == 2);
}
