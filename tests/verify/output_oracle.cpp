// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/output_oracle.hpp>

#include <doctest/doctest.h>

#include <lkt/verify/signature_tests.hpp>

#include "fake_backend.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace {

/// An oracle of the least that the concept asks for: it returns the inputs.
struct echo {
    std::size_t outputs = 1, answers_less = 0;
    std::vector<std::size_t>* asked = nullptr;

    lkt::result<std::vector<lkt::oracle_answer>> answer(lkt::problem const&,
                                                        std::span<lkt::test_case const> tests,
                                                        lkt::call_context const&) const {
        if (asked != nullptr) asked->push_back(tests.size());
        std::vector<lkt::oracle_answer> answers;
        for (std::size_t t = answers_less; t < tests.size(); ++t)
            answers.emplace_back(outputs, tests[t].arguments[0]);
        return answers;
    }
    [[nodiscard]] std::string describe() const { return "echo"; }
};
static_assert(lkt::output_oracle<echo>);

struct no_name {
    lkt::result<std::vector<lkt::oracle_answer>>
    answer(lkt::problem const&, std::span<lkt::test_case const>, lkt::call_context const&) const;
};
static_assert(!lkt::output_oracle<no_name>);

lkt::result<lkt::test_suite> suite_of(echo const& oracle, lkt::problem const& task) {
    auto tests = lkt::signature_tests{}.generate(task, {}).value();
    return lkt::suite_of(oracle, task, std::move(tests), {});
}

} // namespace

TEST_CASE("Any oracle is asked for all tests at once, and again for the smallest") {
    auto task = test::doubling_problem(64);
    task.further_sizes = {{{"N", 5}}, {{"N", 33}}};
    std::vector<std::size_t> asked;
    auto const suite = suite_of({.asked = &asked}, task).value();
    CHECK(asked == std::vector<std::size_t>{4, 1});
    REQUIRE(suite.tests.size() == 4);
    CHECK(suite.tests[1].expected[0] == suite.tests[1].test.arguments[0]);
    CHECK(suite.notes == std::vector<std::string>{"the expected outputs were computed by echo"});
}

TEST_CASE("Answers that do not fit are errors, as are problems without what is judged") {
    auto task = test::doubling_problem(64);
    auto const few = suite_of({.outputs = 0}, task);
    CHECK(few.error().code == "lkt.verify.oracle_output");
    CHECK(few.error().message.find("0 instead of 1 outputs") != std::string::npos);
    CHECK(suite_of({.answers_less = 1}, task).error().code == "lkt.verify.oracle_output");
    task.arguments[1].scratch = true;
    CHECK(suite_of({.outputs = 0}, task).error().code == "lkt.verify.no_output");
    task.arguments[1].scratch = false;
    task.signature.arguments[1].flow = lkt::direction::in;
    CHECK(suite_of({}, task).error().code == "lkt.verify.no_output");
}

TEST_CASE("Scratch has its place among the outputs, and nobody is asked for it") {
    auto task = test::doubling_problem(64);
    task.signature.arguments[0].flow = lkt::direction::inout;
    task.arguments[0].scratch = true;
    CHECK(lkt::judged_outputs(task) == std::vector<std::size_t>{1});
    auto const suite = suite_of({}, task).value();
    REQUIRE(suite.tests[0].expected.size() == 2);
    auto const& bytes = suite.tests[0].expected[0].bytes;
    CHECK(std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{}; }));
}
