// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/problem_oracle.hpp>

#include <doctest/doctest.h>

#include <lkt/core/files.hpp>
#include <lkt/verify/recorded_oracle.hpp>
#include <lkt/verify/signature_tests.hpp>

#include "fake_backend.hpp"
#include "python.hpp"

#include <filesystem>
#include <string>
#include <unistd.h>

TEST_CASE("The problem says where its expected outputs come from: a script, or a record of it") {
    std::string const folder = "/tmp/lkt-problem-oracle-" + std::to_string(::getpid());
    auto task = test::doubling_problem(64);
    auto const tests = lkt::signature_tests{}.generate(task, {}).value();
    CHECK(lkt::suite_of_problem_oracle(task, tests, {}).error().code == "lkt.verify.oracle");

    using kind = lkt::oracle_source::kind;
    task.oracle = lkt::oracle_source{kind::recorded, folder, {}};
    CHECK(lkt::suite_of_problem_oracle(task, tests, {}).error().code == "lkt.file.missing");
    task.oracle = lkt::oracle_source{kind::torch, folder + "/oracle.py", "twice"};
    CHECK(lkt::suite_of_problem_oracle(task, tests, {}).error().code == "lkt.file.missing");

    if (!test::has_python()) return;
    std::filesystem::create_directory(folder);
    REQUIRE(!lkt::write_text_file(folder + "/oracle.py", "def twice(x, n):\n    return 2 * x\n"));
    task.oracle = lkt::oracle_source{kind::numpy, folder + "/oracle.py", "twice"};
    auto const suite = lkt::suite_of_problem_oracle(task, tests, {});
    if (!suite) FAIL(to_string(suite.error()));
    CHECK(suite->tests[0].expected[0].lane<float>(9) ==
          2 * suite->tests[0].test.arguments[0].lane<float>(9));
    CHECK(lkt::record_suite(task, *suite, folder + "/record").has_value());
    task.oracle = lkt::oracle_source{kind::recorded, folder + "/record", {}};
    auto const again = lkt::suite_of_problem_oracle(task, tests, {}).value();
    CHECK(again.tests[0].expected == suite->tests[0].expected);
    std::filesystem::remove_all(folder);
}

TEST_CASE("The function of an operation that counts its calls is found out, even with one test") {
    if (!test::has_python()) return;
    auto task = test::doubling_problem(64);
    auto tests = lkt::signature_tests{}.generate(task, {}).value();
    tests.resize(1);
    auto const suite_with = [&](std::string const& text) {
        using kind = lkt::oracle_source::kind;
        task.oracle = lkt::oracle_source{kind::numpy, "operation", "twice", text};
        return lkt::suite_of_problem_oracle(task, tests, {});
    };
    CHECK(suite_with("def twice(x, n):\n    return 2 * x\n").has_value());
    auto const counted = suite_with("calls = []\n"
                                    "def twice(x, n):\n"
                                    "    calls.append(n)\n"
                                    "    return 2 * x + 100 * len(calls)\n");
    REQUIRE(!counted.has_value());
    CHECK(counted.error().code == "lkt.verify.oracle_unstable");
}
