// SPDX-License-Identifier: BSL-1.0
// Problem files whose kernel is WGSL.
#include <lkt/problems/problem_file.hpp>

#include <lkt/core/files.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

std::string const fixtures = LKT_TEST_SOURCE_DIR "/problems/fixtures";

/// The fixture with the first `from` replaced.
std::string with(std::string const& from, std::string const& to) {
    std::string text = lkt::read_text_file(fixtures + "/rows.json").value();
    auto const at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}
std::string why(std::string const& from, std::string const& to) {
    auto const p = lkt::parse_problem(with(from, to), fixtures);
    return p ? "no error" : p.error().code + ": " + p.error().message;
}
std::string const defaults = "block_size_x=64, block_size_y=1";

/// Grid and block at the default configuration.
std::string launch(std::string const& from, std::string const& to) {
    auto const file = lkt::parse_problem_file(with(from, to), fixtures, "rows");
    if (!file) return file.error().message;
    auto const config = lkt::default_configuration(file->task.parameters);
    CHECK(to_string(config) == defaults);
    auto const d = file->task.launch.evaluate(lkt::scope_of(file->task.size, config));
    std::string text = d ? to_string(*d) : d.error().message;
    for (std::string const& warning : file->warnings) text += "; " + warning;
    return text;
}

} // namespace

TEST_CASE("wgsl problem: arguments by the file's names, in the order of their bindings") {
    auto const p = lkt::read_problem(fixtures + "/rows.json");
    REQUIRE_MESSAGE(p.has_value(), to_string(p.error()));
    CHECK(p->reference.language == lkt::language::wgsl);
    std::string names;
    for (lkt::argument const& a : p->signature.arguments) names += a.name + " ";
    CHECK(names == "x columns rows a y ");
    REQUIRE(p->arguments.size() == 5);
    lkt::expression_scope const scope = lkt::scope_of(p->size, {});
    CHECK(p->arguments[0].count.evaluate_integer(scope).value() == 1000);
    CHECK(p->arguments[1].value.evaluate_integer(scope).value() == 100);
    CHECK(p->arguments[3].value.text() == "0.5");
    CHECK(p->flow(4) == lkt::direction::out);
    CHECK(p->arguments[4].bound.has_value());
}

TEST_CASE("wgsl problem: the block is the text's, and the grid follows") {
    std::string const at = "\"ProblemSize\"";
    CHECK(launch(at, at) == "grid 2x10, block 64");
    CHECK(launch(at, R"("GlobalSize": {"X": 7, "Y": "block_size_y"}, "ProblemSize")") ==
          "grid 7, block 64");
    CHECK(
        launch(at,
               R"("GlobalSizeType": "OpenCL", "GlobalSize": {"X": 128, "Y": 10}, "ProblemSize")") ==
        "grid 2x10, block 64");
    CHECK(launch(at, R"("LocalSize": {"X": "block_size_x", "Y": "block_size_y"}, "ProblemSize")") ==
          "grid 2x10, block 64");
    CHECK(launch(at, R"("LocalSize": {"X": 32}, "ProblemSize")") ==
          "grid 2x10, block 64; KernelSpecification.LocalSize is ignored: the kernel's "
          "@workgroup_size applies");
    // What is not tuned has its default from the text.
    std::string text = with("\"TuningParameters\"", "\"Unread\"");
    auto const p = lkt::parse_problem(text, fixtures);
    REQUIRE_MESSAGE(p.has_value(), to_string(p.error()));
    CHECK(to_string(p->launch.evaluate(lkt::scope_of(p->size, {})).value()) ==
          "grid 2x3, block 64x4");
}

TEST_CASE("wgsl problem: bindings that are none") {
    auto const says = [](std::string const& from, std::string const& to, std::string const& part) {
        CAPTURE(why(from, to));
        CHECK(why(from, to).find(part) != std::string::npos);
    };
    says("\"binding\": 2", "\"binding\": 3", "uses no buffer at @group(0) @binding(3)");
    says("\"binding\": 2, \"space\": \"uniform\"",
         "\"binding\": 2, \"space\": \"storage\"",
         "lkt.bindings.a.space: the kernel declares `@group(0) @binding(2) var<uniform>");
    says("\"a\": {\"binding\": 2", "\"a\": {\"binding\": 1", "has no member `a`");
    says("\"binding\": 2", "\"bindnig\": 2", "did you mean binding?");
    says("\"a\": {\"binding\": 2", "\"columns\": {\"binding\": 2", "two arguments are called");
    says("\"Language\": \"WGSL\"", "\"Language\": \"CUDA\"", "lkt.kernel.");
    says("\"bindings\": {", "\"bindings\": {\"columns\": {\"binding\": 1}, ", "no error");
}
