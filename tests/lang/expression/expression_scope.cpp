// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/expression/expression_scope.hpp>

#include <doctest/doctest.h>

TEST_CASE("a scope starts empty and keeps the order of its names") {
    lkt::expression_scope scope;
    CHECK(scope.values.empty());
    CHECK(scope.problem_size.empty());
    scope.values.emplace_back("N", std::int64_t{4});
    scope.values.emplace_back("pad", true);
    CHECK(scope.values[0].first == "N");
    CHECK(std::get<bool>(scope.values[1].second));
}
