// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/declaration.hpp>

#include <doctest/doctest.h>

#include <lkt/lang/find_kernel.hpp>

#include "declaration_support.hpp"

using namespace lkt_test;

namespace {

std::string why(std::string const& json, lkt::problem_draft const& draft = open_draft()) {
    auto const read = lkt::read_problem_declaration(fenced_json(json), draft);
    return read ? "no error" : read.error().code + ": " + read.error().message;
}
std::string why_tests(std::string const& json, lkt::problem const& task = described_problem()) {
    auto const read = lkt::read_test_declaration(fenced_json(json), task);
    return read ? "no error" : read.error().code + ": " + read.error().message;
}
bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("A reply describes everything that is open") {
    auto const read = lkt::read_problem_declaration(fenced_json(good_description), open_draft());
    REQUIRE_MESSAGE(read.has_value(), to_string(read.error()));
    CHECK(read->reference.text == twice_text);
    CHECK(read->size == lkt::problem_size{{"ProblemSize[0]", 96}});
    REQUIRE(read->further_sizes.size() == 1);
    CHECK(read->further_sizes[0][0].second == 7);
    REQUIRE(read->size_constraints.size() == 1);
    REQUIRE(read->arguments.size() == 3);
    CHECK(read->arguments[0].count.text() == "ProblemSize[0]");
    CHECK(read->arguments[0].min == 0.0);
    CHECK(read->flow(1) == lkt::direction::out);
    CHECK(read->arguments[2].value.text() == "ProblemSize[0]");
    // The launch follows from the sizes.
    auto const d = read->launch.evaluate(lkt::scope_of(read->size, {}));
    REQUIRE(d.has_value());
    CHECK(d->grid.x * d->block.x >= 96);
}

TEST_CASE("What the user has said stands, and is not asked") {
    auto draft = open_draft();
    draft.known.size = {{"N", 50}};
    draft.known.further_sizes = {{{"N", 3}}};
    draft.known.arguments.resize(3);
    draft.known.arguments[2].value = lkt::expression::parse("N").value();
    draft.open = {0, 1};
    std::string const two = R"({"KernelSpecification": {"Arguments": [
        {"Name": "y", "Size": "ProblemSize[0] + 1"}, {"Name": "x", "Size": "ProblemSize[0]"}]}})";
    auto const read = lkt::read_problem_declaration(fenced_json(two), draft);
    REQUIRE_MESSAGE(read.has_value(), to_string(read.error()));
    CHECK(read->size == draft.known.size);
    CHECK(read->further_sizes == draft.known.further_sizes);
    CHECK(read->arguments[2] == draft.known.arguments[2]);
    CHECK(read->arguments[1].count.evaluate_integer(lkt::scope_of(read->size, {})).value() == 51);
    CHECK(
        has(why(R"({"KernelSpecification": {"ProblemSize": 4}})", draft), "has the unknown field"));
    CHECK(has(why(R"({"lkt": {"scalars": {"n": 3}}})", draft), "`n` is already given"));
}

TEST_CASE("A launch of the user's stands") {
    auto draft = open_draft();
    draft.launch_is_open = false;
    draft.known.launch.grid[0] = 5;
    auto const read = lkt::read_problem_declaration(fenced_json(good_description), draft);
    REQUIRE(read.has_value());
    CHECK(read->launch == draft.known.launch);
}

TEST_CASE("Each kind of wrong description has its words") {
    auto const with = [](std::string const& from, std::string const& to) {
        std::string text = good_description;
        auto const at = text.find(from);
        REQUIRE(at != std::string::npos);
        return why(text.replace(at, from.size(), to));
    };
    CHECK(with("\"x\"", "\"x\"") == "no error");
    CHECK(has(with("{\"Name\": \"x\"", "{\"Name\": \"w\""), "has no argument `w`; it has x, y, n"));
    CHECK(has(with("\"float32\"", "\"float64\""), "lkt.problem.value"));
    CHECK(has(with("\"float32\"", "\"float64\""), "which is float32, not float64"));
    CHECK(has(with("\"Size\": \"ProblemSize[0]\"", "\"Size\": \"N\""), "unknown name `N`"));
    CHECK(has(with("\"Size\": \"ProblemSize[0]\"", "\"Size\": \"ProblemSize[1]\""), "ProblemSize"));
    CHECK(has(with("\"Size\": \"ProblemSize[0]\"", "\"Size\": \"ProblemSize[0] - 7\""),
              "0 elements"));
    CHECK(has(with("\"WriteOnly\"", "\"ReadOnly\""), "lkt.declaration.flow"));
    CHECK(has(with("\"ReadOnly\"", "\"WriteOnly\""), "which cannot be written"));
    CHECK(has(with("\"scalars\": {\"n\": \"ProblemSize[0]\"}", "\"scalars\": {}"), "has no entry"));
    CHECK(has(with("\"ProblemSize\": [96]", "\"ProblemSize\": [0]"), "not between 1 and 2^40"));
    CHECK(has(with("\"ProblemSize\": [96],", ""), "ProblemSize` is missing"));
    CHECK(has(with("\"sizes\": [[7]]", "\"sizes\": [[7, 8]]"), "1 extents"));
    CHECK(has(with("\"lkt\": {", "\"lkt\": {\"oracle\": {\"numpy\": \"f.py:f\"}, "), "`oracle`"));
    CHECK(has(with("\"lkt\": {", "\"lkt\": {\"tolerance\": {\"y\": {\"atol\": 9}}, "),
              "has the unknown field"));
    CHECK(has(why("[1, 2]"), "not an object"));
    CHECK(has(why("{\"lkt\": [}"), "lkt.extract.malformed-json"));
    auto const prose = lkt::read_problem_declaration("It takes two buffers.", open_draft());
    REQUIRE(prose.has_error());
    CHECK(prose.error().code == "lkt.extract.no-json");
}

TEST_CASE("A reply declares tests") {
    auto const task = described_problem();
    auto const tests = lkt::read_test_declaration(fenced_json(good_tests), task);
    REQUIRE_MESSAGE(tests.has_value(), to_string(tests.error()));
    REQUIRE(tests->size() == 2);
    CHECK((*tests)[0].name == "one value");
    REQUIRE((*tests)[0].arguments.size() == 1);
    CHECK((*tests)[0].arguments[0].first == 0);
    CHECK(std::holds_alternative<lkt::one_hot>((*tests)[0].arguments[0].second.fill));
}

TEST_CASE("Each kind of wrong test has its words") {
    auto const one = [](std::string const& argument, std::string const& fill) {
        return why_tests(R"({"lkt": {"tests": [{"name": "t", "arguments": {")" + argument +
                         "\": " + fill + "}}]}}");
    };
    CHECK(one("x", R"({"distribution": "one_hot"})") == "no error");
    CHECK(has(one("z", R"({"distribution": "one_hot"})"), "has no argument `z`"));
    CHECK(has(one("x", R"({"distribution": "poisson"})"), "`poisson` is not one of"));
    CHECK(one("x", R"({"distribution": "uniform", "low": 2, "high": 1})") != "no error");
    CHECK(one("y", R"({"distribution": "one_hot"})") != "no error");
    CHECK(has(why_tests(R"({"lkt": {"tests": []}})"), "give 1 to 16"));
    CHECK(has(why_tests(R"({"lkt": {}})"), "give 1 to 16"));
    CHECK(has(why_tests(R"({"lkt": {"sizes": [[1]]}})"), "has the unknown field"));
    CHECK(has(why_tests(R"({"script": "import os"})"), "has the unknown field"));
}

TEST_CASE("A kernel in WGSL, with parameters, is described alike") {
    lkt::problem_draft draft;
    draft.known.reference = {lkt::language::wgsl,
                             R"(
        override BLOCK: u32;
        @group(0) @binding(0) var<storage, read> x: array<f32>;
        @group(0) @binding(1) var<storage, read_write> y: array<f32>;
        @compute @workgroup_size(BLOCK)
        fn twice(@builtin(global_invocation_id) id: vec3u) { y[id.x] = 2 * x[id.x]; })",
                             ""};
    draft.known.signature = lkt::find_kernel(draft.known.reference).value();
    draft.known.parameters = {{"BLOCK", {std::int64_t{32}, std::int64_t{64}}}};
    draft.open = {0, 1};
    draft.launch_is_open = true;
    std::string const padded = R"json({"KernelSpecification": {"ProblemSize": [128], "Arguments": [
        {"Name": "x", "Size": "ProblemSize[0]"},
        {"Name": "y", "Size": "ceil_div(ProblemSize[0], max(BLOCK)) * max(BLOCK)"}]}})json";
    auto const read = lkt::read_problem_declaration(fenced_json(padded), draft);
    REQUIRE_MESSAGE(read.has_value(), to_string(read.error()));
    CHECK(read->parameters == draft.known.parameters);
    CHECK(read->launch.block[0].text() == "BLOCK");
    CHECK(read->arguments[1].count.evaluate_integer(lkt::scope_of(read->size, {})).value() == 128);
}
