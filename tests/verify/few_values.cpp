// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/few_values.hpp>

#include <doctest/doctest.h>

#include <lkt/verify/detail/scalars.hpp>

#include "fake_backend.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

TEST_CASE("an input that held the same one or two values in every test is told") {
    auto const noted = [](lkt::scalar_type type,
                          std::vector<std::vector<double>> const& tests,
                          std::optional<double> max = {}) {
        auto task = test::doubling_problem();
        task.signature.arguments[0].type.scalar = type;
        task.arguments[0].max = max;
        if (max) task.arguments[0].min = 0;
        lkt::test_suite suite;
        suite.directions = {lkt::direction::in, lkt::direction::out};
        for (auto const& values : tests) {
            lkt::argument_data data{
                {type, 1}, true, lkt::byte_buffer(values.size() * size_of(type))};
            for (std::size_t k = 0; k < values.size(); ++k)
                lkt::detail::store_number(data, k, values[k]);
            suite.tests.emplace_back().test.arguments = {std::move(data), {}};
        }
        lkt::note_few_values(task, suite);
        return suite.notes.empty() ? std::string() : suite.notes.front();
    };
    using enum lkt::scalar_type;
    CHECK(
        noted(int32, {{0, 1, 1}, {1, 0}}).starts_with("the input `x` held only 0 and 1 in every"));
    CHECK(noted(uint8, {{200}, {200, 200}}).starts_with("the input `x` held only 200 in every"));
    CHECK(noted(float32, {{0.5, 0.5}}).starts_with("the input `x` held only 0.5 in every"));
    CHECK(noted(int32, {{0, 1}, {1, 2}}).empty());
    CHECK(noted(float32, {{0, 1}}).empty());  // there are tests for such values alone
    CHECK(noted(int32, {{0, 1}}, 1).empty()); // it has no others
    CHECK_FALSE(noted(int32, {{0, 1}}, 5).empty());
    CHECK(noted(boolean, {{0, 1}}).empty());
}
