// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/all_of.hpp>

#include <doctest/doctest.h>

#include <lkt/verify/signature_tests.hpp>
#include <lkt/verify/user_tests.hpp>

#include "conformance.hpp"
#include "fake_backend.hpp"

namespace {

lkt::test_case ones(std::int32_t n, std::string name) {
    lkt::value_type const real{lkt::scalar_type::float32, 1};
    std::vector<float> const values(static_cast<std::size_t>(n), 1.0f);
    return {std::move(name),
            {{"N", n}},
            {lkt::make_buffer<float>(real, values),
             lkt::make_buffer<float>(real, values),
             lkt::make_scalar(lkt::scalar_type::int32, n)}};
}

std::vector<std::string> names(std::vector<lkt::test_case> const& tests) {
    std::vector<std::string> all;
    for (auto const& t : tests) all.push_back(t.name);
    return all;
}

struct broken {
    lkt::result<std::vector<lkt::test_case>> generate(lkt::problem const&,
                                                      lkt::call_context const&) {
        return lkt::error{lkt::condition::unavailable, "test.broken", "no tests today", {}};
    }
};

} // namespace

TEST_CASE("a user's tests come first, whatever the order of the generators") {
    auto const task = test::doubling_problem(64);
    lkt::user_tests const mine{{ones(64, "mine"), ones(4, "small")}};
    lkt::all_of all{lkt::signature_tests{}, mine};
    CHECK(names(all.generate(task, {}).value()) ==
          std::vector<std::string>{"mine", "small", "N=64", "N=64, other values"});
    test::check_test_generator(all, task);
}

TEST_CASE("the first test, which is timed, has the problem's own size") {
    auto const task = test::doubling_problem(64);
    lkt::all_of all{lkt::user_tests{{ones(4, "small")}}, lkt::signature_tests{}};
    CHECK(names(all.generate(task, {}).value()) ==
          std::vector<std::string>{"N=64", "small", "N=64, other values"});
    // Where no test has it, the order stays.
    lkt::all_of none{lkt::user_tests{{ones(4, "small"), ones(2, "tiny")}}};
    CHECK(names(none.generate(task, {}).value()) == std::vector<std::string>{"small", "tiny"});
}

TEST_CASE("no test twice, no name twice") {
    auto const task = test::doubling_problem(64);
    lkt::all_of all{lkt::signature_tests{},
                    lkt::signature_tests{.seed = 2, .other_values = false},
                    lkt::signature_tests{}};
    CHECK(names(all.generate(task, {}).value()) ==
          std::vector<std::string>{"N=64", "N=64, other values", "N=64 #2"});
    // What an output holds before the launch does not make another test of it.
    auto same = ones(64, "b");
    same.arguments[1].bytes[0] = std::byte{9};
    lkt::all_of pair{lkt::user_tests{{ones(64, "a"), same}}};
    CHECK(names(pair.generate(task, {}).value()) == std::vector<std::string>{"a"});
}

TEST_CASE("a generator's error is the error of all") {
    lkt::all_of all{lkt::signature_tests{}, broken{}, lkt::signature_tests{}};
    auto const made = all.generate(test::doubling_problem(), {});
    REQUIRE(!made.has_value());
    CHECK(made.error().code == "test.broken");
}
