// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/oracle_checks.hpp>

#include <doctest/doctest.h>

#include <lkt/verify/function_oracle.hpp>
#include <lkt/verify/signature_tests.hpp>

#include "fake_backend.hpp"

#include <cstring>
#include <string>
#include <utility>

namespace {

lkt::problem task_of_two_sizes() {
    auto task = test::doubling_problem(64);
    task.further_sizes = {{{"N", 5}}};
    return task;
}

/// A function that multiplies by `factor`, and by `last` in the last element.
lkt::test_suite suite_with(lkt::problem const& task, float factor, float last) {
    lkt::function_oracle const oracle{
        [=](lkt::problem_size const&, std::vector<lkt::argument_data>& a) -> lkt::result<void> {
            for (std::size_t k = 0; k < a[0].lanes(); ++k) {
                float const value = (k + 1 == a[0].lanes() ? last : factor) * a[0].lane<float>(k);
                std::memcpy(a[1].bytes.data() + 4 * k, &value, 4);
            }
            return {};
        },
        "a factor"};
    auto tests = lkt::signature_tests{}.generate(task, {}).value();
    return lkt::suite_of(oracle, task, std::move(tests), {}).value();
}

lkt::result<std::optional<lkt::failure>> original_against(lkt::test_suite const& suite,
                                                          lkt::problem const& task) {
    test::fake_backend gpu;
    gpu.kernels["double it"] = test::doubling;
    return lkt::verify_original(gpu, task, suite, {});
}

} // namespace

TEST_CASE("Two oracles that agree within the bounds agree") {
    auto const task = task_of_two_sizes();
    auto const a = suite_with(task, 2, 2);
    CHECK(lkt::compare_suites(task, a, a).value().empty());
    CHECK(lkt::compare_suites(task, a, suite_with(task, 2.0000002F, 2)).value().empty());
    // The original, on a back end, and the function.
    test::fake_backend gpu;
    gpu.kernels["double it"] = test::doubling;
    auto tests = lkt::signature_tests{}.generate(task, {}).value();
    auto const original = lkt::prepare_suite(gpu, task, std::move(tests), {}).value();
    CHECK(lkt::compare_suites(task, original, a).value().empty());
}

TEST_CASE("Where they differ is said by test, output and element") {
    auto const task = task_of_two_sizes();
    auto const a = suite_with(task, 2, 2), b = suite_with(task, 2, 3);
    auto const differences = lkt::compare_suites(task, a, b).value();
    REQUIRE(differences.size() == 3);
    CHECK(differences[1].test == 1);
    CHECK(differences[1].argument == 1);
    CHECK(differences[1].what.test == "N=5");
    CHECK(differences[1].what.argument == "y");
    CHECK(differences[1].what.index == 4);
    CHECK(differences[1].what.wrong == 1);
    CHECK(differences[0].what.index == 63);
    CHECK(differences[0].what.expected != differences[0].what.got);
}

TEST_CASE("Suites of other tests are not compared") {
    auto const task = task_of_two_sizes();
    auto const a = suite_with(task, 2, 2);
    auto const code = [&](lkt::test_suite const& b) {
        auto const made = lkt::compare_suites(task, a, b);
        REQUIRE(made.has_error());
        return made.error().code + " " + made.error().message;
    };
    CHECK(code({}).find("lkt.verify.oracle_compare") == 0);
    auto b = a;
    b.tests.pop_back();
    CHECK(code(b).find("2") != std::string::npos);
    b = a;
    b.tests[1].test.arguments[0].bytes[0] ^= std::byte{1};
    CHECK(code(b).find("the input `x` of test `N=5` differs") != std::string::npos);
    b = a;
    b.tests[0].test.size[0].second = 7;
    CHECK(code(b).find("N=7") != std::string::npos);
}

TEST_CASE("The original is held to what another oracle says") {
    auto const task = task_of_two_sizes();
    CHECK_FALSE(original_against(suite_with(task, 2, 2), task).value().has_value());
    auto const wrong = original_against(suite_with(task, 2, 3), task).value();
    REQUIRE(wrong.has_value());
    CHECK(std::holds_alternative<lkt::wrong_output>(*wrong));
    auto other = task;
    other.reference.text = "no such kernel";
    auto const failed = original_against(suite_with(task, 2, 2), other).value();
    REQUIRE(failed.has_value());
    CHECK(std::holds_alternative<lkt::compile_failed>(*failed));
}
