// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/signature_tests.hpp>

#include <doctest/doctest.h>

#include "conformance.hpp"
#include "fake_backend.hpp"

namespace {

lkt::error failing(lkt::problem const& task, lkt::signature_tests const& tests = {}) {
    auto const made = tests.generate(task, {});
    REQUIRE(!made.has_value());
    CHECK(!made.error().hint.empty());
    return made.error();
}

} // namespace

TEST_CASE("the timed size comes first, then the further ones, then other values") {
    auto task = test::doubling_problem(64);
    task.further_sizes = {{{"N", 33}}, {{"N", 64}}, {{"N", 1}}};
    auto const tests = lkt::signature_tests{}.generate(task, {}).value();
    REQUIRE(tests.size() == 4);
    CHECK(tests[0].name == "N=64");
    CHECK(tests[1].name == "N=33");
    CHECK(tests[2].name == "N=1");
    CHECK(tests[3].name == "N=64, other values");
    CHECK(tests[1].arguments[0].count() == 33);
    CHECK(tests[1].arguments[1].count() == 33);
    CHECK(tests[1].arguments[2].lane<std::int32_t>(0) == 33);
    CHECK(tests[3].size == task.size);
    CHECK(tests[3].arguments[0] != tests[0].arguments[0]);
    // Another size is not a prefix of the first one either.
    CHECK(tests[1].arguments[0].lane<float>(0) != tests[0].arguments[0].lane<float>(0));
    CHECK(lkt::signature_tests{.other_values = false}.generate(task, {}).value().size() == 3);
    auto const seeded = lkt::signature_tests{.seed = 2}.generate(task, {}).value();
    CHECK(seeded[0].arguments[0] != tests[0].arguments[0]);
    test::check_test_generator(lkt::signature_tests{}, task);
}

TEST_CASE("two arguments of one kind never get the same values") {
    auto task = test::doubling_problem(64);
    task.arguments[1].flow = lkt::direction::inout;
    auto const tests = lkt::signature_tests{}.generate(task, {}).value();
    CHECK(tests[0].arguments[0].bytes != tests[0].arguments[1].bytes);
}

TEST_CASE("without anything random, other values are no second test") {
    auto task = test::doubling_problem(8);
    task.arguments[0].fill = lkt::constant{1};
    auto const tests = lkt::signature_tests{}.generate(task, {}).value();
    REQUIRE(tests.size() == 1);
    CHECK(tests[0].arguments[0].lane<float>(7) == 1);
}

TEST_CASE("scalars come from their expression, or are drawn") {
    auto task = test::doubling_problem(8);
    task.arguments[2].random = true;
    task.arguments[2].fill = lkt::uniform{3, 5};
    auto const tests = lkt::signature_tests{}.generate(task, {}).value();
    CHECK(tests[0].arguments[2].lane<std::int32_t>(0) >= 3);
    CHECK(tests[0].arguments[2].lane<std::int32_t>(0) <= 5);
    task.arguments[2].random = false;
    task.signature.arguments[2].type = {lkt::scalar_type::float32, 4};
    task.arguments[2].value = lkt::expression::parse("N / 2.0").value();
    auto const vector = lkt::signature_tests{}.generate(task, {}).value();
    CHECK(lkt::value_text(vector[0].arguments[2], 0) == "(4, 4, 4, 4)");
}

TEST_CASE("where the problem says which sizes are fair, some are tested that nobody was told") {
    auto task = test::doubling_problem(64);
    task.further_sizes = {{{"N", 33}}};
    task.size_constraints = {lkt::expression::parse("N >= 1").value()};
    auto const tests = lkt::signature_tests{}.generate(task, {}).value();
    REQUIRE(tests.size() == 9);
    CHECK(tests[2].name == "N=64, other values");
    for (std::size_t k = 3; k < 9; ++k) {
        CHECK(tests[k].name == "hidden size " + std::to_string(k - 2));
        std::int64_t const n = tests[k].size[0].second;
        CHECK(n != 64);
        CHECK(n != 33);
        CHECK(tests[k].arguments[0].count() == static_cast<std::size_t>(n));
        CHECK(tests[k].arguments[2].lane<std::int32_t>(0) == n); // scalars follow the size
    }
    CHECK(lkt::signature_tests{.hidden_sizes = 1}.generate(task, {}).value().size() == 4);
    auto const seeded = lkt::signature_tests{.seed = 2}.generate(task, {}).value();
    bool others = false;
    for (std::size_t k = 3; k < 8; ++k) others = others || seeded[k].size != tests[k].size;
    CHECK(others);
    test::check_test_generator(lkt::signature_tests{}, task);
    task.size_constraints.clear();
    CHECK(lkt::signature_tests{}.generate(task, {}).value().size() == 3);
}

TEST_CASE("scratch is sized, and nobody's values") {
    auto task = test::doubling_problem(64);
    task.arguments[1].scratch = true;
    task.arguments[1].flow = lkt::direction::inout;
    auto const tests = lkt::signature_tests{}.generate(task, {}).value();
    CHECK(tests[0].arguments[1].count() == 64);
    CHECK(tests[0].arguments[1].lane<float>(3) == 0); // the back end fills it
}

TEST_CASE("impossible sizes and values are errors that name the argument") {
    auto task = test::doubling_problem(0);
    CHECK(failing(task).message == "argument `x` at N=0 has 0 elements");
    CHECK(failing(task).code == "lkt.verify.count");
    task = test::doubling_problem(-5);
    CHECK(failing(task).message == "argument `x` at N=-5 has -5 elements");
    task = test::doubling_problem(std::int64_t{1} << 40);
    CHECK(failing(task).code == "lkt.verify.too_large");
    CHECK(failing(task).kind == lkt::condition::exhausted);
    task = test::doubling_problem(std::numeric_limits<std::int64_t>::max());
    CHECK(failing(task).code == "lkt.verify.too_large");
    // Two buffers share the limit.
    task = test::doubling_problem(100);
    CHECK(lkt::signature_tests{.limit = {900}}.generate(task, {}).has_value());
    CHECK(failing(task, lkt::signature_tests{.limit = {700}}).message.find("`y`") !=
          std::string::npos);
    task = test::doubling_problem(300);
    task.signature.arguments[2].type = {lkt::scalar_type::int8, 1};
    CHECK(failing(task).message.find("argument `n`") != std::string::npos);
    task = test::doubling_problem();
    task.arguments[0].count = lkt::expression::parse("M").value();
    auto const unknown = failing(task);
    CHECK(unknown.message.find("`x` at N=64") != std::string::npos);
    CHECK(unknown.message.find("M") != std::string::npos);
    task = test::doubling_problem();
    task.signature.arguments[0].constant_count = 7;
    CHECK(failing(task).code == "lkt.verify.count");
    CHECK(failing(task).message.find("64 elements, but the kernel declares") != std::string::npos);
    task = test::doubling_problem();
    task.arguments[0].fill = lkt::uniform{2, 1};
    CHECK(failing(task).message.find("argument `x`: no float32") != std::string::npos);
    task.arguments.pop_back();
    CHECK(failing(task).code == "lkt.verify.problem");
}

TEST_CASE("making tests stops when asked to") {
    std::stop_source stop;
    stop.request_stop();
    auto const made =
        lkt::signature_tests{}.generate(test::doubling_problem(), {stop.get_token(), {}});
    REQUIRE(!made.has_value());
    CHECK(made.error().kind == lkt::condition::cancelled);
}
