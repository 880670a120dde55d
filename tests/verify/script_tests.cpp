// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/script_tests.hpp>

#include <doctest/doctest.h>

#include <lkt/verify/test_check.hpp>

#include "conformance.hpp"
#include "fake_backend.hpp"
#include "python.hpp"

#include <string>
#include <utility>

namespace {

lkt::problem task_of_two_sizes() {
    auto task = test::doubling_problem(64);
    task.further_sizes = {{{"N", 5}}};
    return task;
}

lkt::script_tests script(std::string text) { return {test::python(std::move(text), ""), 1, 64}; }

/// The words that a model would be shown.
std::string fault(std::string body,
                  std::string const& code = "lkt.verify.script_tests",
                  lkt::problem const& task = task_of_two_sizes()) {
    auto const made =
        script("import numpy as np\ndef generate(sizes, rng):\n    N = sizes['N']\n    " +
               std::move(body) + "\n")
            .generate(task, {});
    REQUIRE(made.has_error());
    CHECK(made.error().code == code);
    CHECK(made.error().kind == lkt::condition::rejected);
    CHECK_FALSE(made.error().hint.empty());
    return made.error().message;
}

char const* const honest = "import numpy as np\n"
                           "def generate(sizes, rng):\n"
                           "    n = sizes['N']\n"
                           "    return [dict(x=rng.standard_normal(n), n=n),\n"
                           "            dict(x=np.arange(n, dtype=np.float32))]\n";

} // namespace

TEST_CASE("A script's tests: every size, the timed one first, repeatable, types cast") {
    if (!test::has_python()) return;
    auto const task = task_of_two_sizes();
    auto const tests = script(honest).generate(task, {});
    if (!tests) FAIL(to_string(tests.error()));
    REQUIRE(tests->size() == 4);
    CHECK((*tests)[0].name == "N=64, script");
    CHECK((*tests)[1].name == "N=64, script 2");
    CHECK((*tests)[3].name == "N=5, script 2");
    CHECK((*tests)[0].size == task.size);
    for (lkt::test_case const& t : *tests) CHECK(lkt::check_test(task, t).has_value());
    CHECK((*tests)[3].arguments[0].lane<float>(4) == 4);
    CHECK((*tests)[3].arguments[2].lane<int>(0) == 5);
    CHECK((*tests)[0].arguments[0].lane<float>(0) != (*tests)[2].arguments[0].lane<float>(0));
    auto const again = script(honest).generate(task, {}).value();
    CHECK(again[0].arguments == (*tests)[0].arguments);
    test::check_test_generator(script(honest), task);
    auto other = script(honest);
    other.seed = 2;
    CHECK(other.generate(task, {}).value()[0].arguments != (*tests)[0].arguments);
}

TEST_CASE("Each fault is named, with the argument, all of them at once") {
    if (!test::has_python()) return;
    auto const all = fault("return dict(x=np.zeros((N, 2)), z=np.zeros(3), n=N + 1)");
    CHECK(test::has(all, "does not fit the kernel"));
    CHECK(
        test::has(all, "- at N=64: `x` has the shape (64, 2), which is 128 numbers instead of 64"));
    CHECK(test::has(all, "- at N=5: `z` is not an argument of the kernel"));
    CHECK(test::has(all, "`n` is 65, and follows from the sizes as 64: leave it out"));
    CHECK(test::has(fault("return dict(n=N)"), "`x` is missing: 64 values of float32"));
    CHECK(test::has(
        fault("return dict(x=np.full(N, 2**24 + 1))"),
        "`x` has the dtype int64, and its element 0, 16777217, is not a value of type float32"));
    auto whole = task_of_two_sizes();
    whole.signature.arguments[0].type.scalar = lkt::scalar_type::int32;
    CHECK(test::has(fault("return dict(x=np.full(N, 0.5))", "lkt.verify.script_tests", whole),
                    "dtype float64, and its element 0, 0.5, is not a value of type int32"));
    CHECK(test::has(fault("return dict(x=np.full(N, 2**31))", "lkt.verify.script_tests", whole),
                    "2147483648, is not a value of type int32"));
    auto bounded = task_of_two_sizes();
    bounded.arguments[0].min = 0;
    CHECK(test::has(fault("return dict(x=-np.ones(N))", "lkt.verify.script_tests", bounded),
                    "outside of its domain"));
}

TEST_CASE("What a function returns instead of tests, and what it raises, is told as it is") {
    if (!test::has_python()) return;
    std::string const code = "lkt.verify.script";
    CHECK(test::has(fault("return np.zeros(N)", code), "returned ndarray at N=64 instead of"));
    CHECK(test::has(fault("return []", code), "no test at N=64"));
    CHECK(test::has(fault("return {3: np.zeros(N)}", code), "is not text"));
    CHECK(test::has(fault("return dict(x=None)", code), "the array `x` at N=64 is None"));
    CHECK(
        test::has(fault("return dict(x=['a'])", code), "the array `x` at N=64 has the dtype <U1"));
    CHECK(test::has(fault("return [dict(x=np.zeros(N))] * 65", code), "more than 64 tests"));
    auto const raised = fault("return dict(x=np.zeros(M))", code);
    CHECK(test::has(raised, "NameError: name 'M' is not defined"));
    CHECK(test::has(raised, "line 4, in generate"));
    auto const made = script("def generate(sizes): return {}\n").generate(task_of_two_sizes(), {});
    CHECK(test::has(made.error().message, "`generate` is called as generate(sizes, rng)"));
    CHECK(test::has(script("").generate(task_of_two_sizes(), {}).error().message,
                    "defines no function `generate`"));
}

TEST_CASE("A hostile or greedy generator ends") {
    if (!test::has_python()) return;
    std::string const code = "lkt.verify.script";
    CHECK(test::has(fault("import urllib.request as u; u.urlopen('http://127.0.0.1:9/')", code),
                    "not permitted"));
    CHECK(test::has(fault("import subprocess; subprocess.run(['id'])", code), "PermissionError"));
    CHECK(test::has(fault("open('x', 'w')", code), "Read-only"));
    auto greedy = script("import numpy as np\n"
                         "def generate(sizes, rng): return dict(x=np.zeros(1 << 40))\n");
    greedy.script.memory_limit = std::uint64_t{2} << 30;
    CHECK(test::has(greedy.generate(task_of_two_sizes(), {}).error().message, "MemoryError"));
    auto slow = script("def generate(sizes, rng):\n    while True: pass\n");
    slow.script.time_limit = std::chrono::milliseconds{600};
    CHECK(test::has(slow.generate(task_of_two_sizes(), {}).error().message, "more than 600 ms"));
}
