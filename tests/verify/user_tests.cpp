// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/user_tests.hpp>

#include <doctest/doctest.h>

#include "conformance.hpp"
#include "fake_backend.hpp"

namespace {

lkt::test_case ones(std::int32_t n, std::string name = {}) {
    lkt::value_type const real{lkt::scalar_type::float32, 1};
    std::vector<float> const values(static_cast<std::size_t>(n), 1.0f);
    return {std::move(name),
            {{"N", n}},
            {lkt::make_buffer<float>(real, values),
             lkt::make_buffer<float>(real, values),
             lkt::make_scalar(lkt::scalar_type::int32, n)}};
}

} // namespace

TEST_CASE("a user's tests come as they are, with a name each") {
    lkt::user_tests const mine{{ones(4), ones(8, "eight")}};
    auto const tests = mine.generate(test::doubling_problem(), {}).value();
    REQUIRE(tests.size() == 2);
    CHECK(tests[0].name == "user test 1");
    CHECK(tests[1].name == "eight");
    CHECK(tests[1].arguments == ones(8).arguments);
    test::check_test_generator(mine, test::doubling_problem());
}

TEST_CASE("a user's test that does not fit the kernel is an error that names it") {
    lkt::user_tests mine{{ones(4), ones(8)}};
    mine.tests[1].arguments.pop_back();
    auto const made = mine.generate(test::doubling_problem(), {});
    REQUIRE(!made.has_value());
    CHECK(made.error().message == "test `user test 2` has 2 arguments instead of 3");
}
