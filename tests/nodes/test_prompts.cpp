// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/test_prompts.hpp>

#include <doctest/doctest.h>

#include <lkt/llm/extract_json.hpp>

#include "declaration_support.hpp"

#include <boost/json/value.hpp>

using namespace lkt_test;

namespace {

bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

struct incomplete {
    std::string system(lkt::problem_draft const&) const { return {}; }
};

} // namespace

static_assert(lkt::test_prompt_set<lkt::default_test_prompts>);
static_assert(!lkt::test_prompt_set<incomplete>);

TEST_CASE("The question names what is open, and nothing else") {
    lkt::default_test_prompts const prompts;
    auto draft = open_draft();
    draft.known.notes = "rows are padded";
    std::string const all = prompts.describe(draft);
    CHECK(has(all, twice_text));
    CHECK(has(all, "- the problem sizes\n"));
    CHECK(has(all, "- `x`: declared `float const* x`, type float32, a buffer that is read only"));
    CHECK(has(all, "- `y`: declared `float* y`, type float32, a buffer that is only written"));
    CHECK(has(all, "- `n`: declared `int n`, type int32, a scalar"));
    CHECK(has(all, "rows are padded"));
    CHECK(has(prompts.system(draft), "CUDA"));
    CHECK(has(prompts.system(draft), "Nothing that you write is executed"));

    draft.known.size = {{"N", 50}};
    draft.known.arguments.resize(3);
    draft.open = {1};
    std::string const one = prompts.describe(draft);
    CHECK_FALSE(has(one, "- the problem sizes\n"));
    CHECK_FALSE(has(one, "\"size_constraints\""));
    CHECK(has(one, "`ProblemSize[0]`, called `N`, is 50"));
    CHECK_FALSE(has(one, "- `x`: declared"));
}

TEST_CASE("The block that a question shows can be read as an answer") {
    lkt::default_test_prompts const prompts;
    auto const draft = open_draft();
    auto const read = lkt::read_problem_declaration(prompts.describe(draft), draft);
    REQUIRE_MESSAGE(read.has_value(), to_string(read.error()));
    CHECK(read->arguments.size() == 3);
    // The example of tests speaks of an argument `a`.
    auto task = described_problem();
    task.signature.arguments[0].name = "a";
    auto const tests = lkt::read_test_declaration(prompts.tests(task), task);
    REQUIRE_MESSAGE(tests.has_value(), to_string(tests.error()));
    CHECK(tests->size() == 2);
}

TEST_CASE("An error is told with what it means for the answer") {
    lkt::default_test_prompts const prompts;
    auto const said = [&](std::string code, std::string hint = {}) {
        return prompts.again(
            {lkt::condition::rejected, std::move(code), "it went wrong", std::move(hint)});
    };
    CHECK(has(said("lkt.declaration.field"), "it went wrong"));
    CHECK(has(said("lkt.verify.reference"), "Look at its accesses"));
    CHECK(has(said("lkt.verify.unstable"), "cannot be compared"));
    CHECK(has(said("lkt.problem.field", "known: a, b"), "known: a, b"));
    CHECK(has(said("x"), "Answer again with one fenced json block"));
    lkt::error long_one{lkt::condition::rejected, "x", std::string(50000, 'e'), {}};
    CHECK(prompts.again(long_one).size() < 5000);
}

TEST_CASE("Other words are assigned to the texts") {
    lkt::default_test_prompts prompts;
    prompts.texts.system = "${language}: ${rules}";
    prompts.texts.again = "No: ${why}";
    CHECK(prompts.system(open_draft()).starts_with("CUDA: A program reads your answer"));
    CHECK(prompts.again({lkt::condition::rejected, "lkt.problem.x", "two sizes", "give one"}) ==
          "No: two sizes");
    CHECK_FALSE(prompts == lkt::default_test_prompts{});
    lkt::default_test_prompts const given;
    CHECK_FALSE(has(given.describe(open_draft()) + given.tests(described_problem()), "${"));
}
