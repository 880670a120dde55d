// SPDX-License-Identifier: BSL-1.0
#include <lkt/problems/problem_text.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <lkt/problems/problem_file.hpp>
#include <lkt/verify/declared_tests.hpp>

namespace fs = std::filesystem;

namespace {

std::string const fixtures = LKT_TEST_SOURCE_DIR "/problems/fixtures";
std::string const examples = LKT_TEST_SOURCE_DIR "/../examples/kernels";

/// What is written reads back as the same, and is then written in the same words.
void check_round(std::string const& file, std::string const& folder) {
    CAPTURE(file);
    auto const p = lkt::read_problem(file);
    REQUIRE_MESSAGE(p.has_value(), to_string(p.error()));
    auto const text = lkt::problem_text(*p, folder);
    REQUIRE_MESSAGE(text.has_value(), to_string(text.error()));
    auto again = lkt::parse_problem(*text, folder);
    REQUIRE_MESSAGE(again.has_value(), to_string(again.error()));
    CHECK(lkt::problem_text(*again, folder).value() == *text);
    again->reference.origin = p->reference.origin;
    // A flow that the text shows is written out.
    for (std::size_t k = 0; k < p->arguments.size(); ++k) {
        CHECK(again->flow(k) == p->flow(k));
        again->arguments[k].flow = p->arguments[k].flow;
        CHECK(again->arguments[k] == p->arguments[k]);
    }
    CHECK(again->signature == p->signature);
    CHECK(again->size == p->size);
    CHECK(again->further_sizes == p->further_sizes);
    CHECK(again->size_constraints == p->size_constraints);
    CHECK(again->parameters == p->parameters);
    CHECK(again->restrictions == p->restrictions);
    CHECK(again->launch == p->launch);
    CHECK(again->compiler_options == p->compiler_options);
    CHECK(again->tests == p->tests);
    CHECK(again->properties == p->properties);
    CHECK(again->work == p->work);
    CHECK(again->notes == p->notes);
}

lkt::problem stencil() { return lkt::read_problem(fixtures + "/stencil.json").value(); }

} // namespace

TEST_CASE("what is written reads back") {
    int seen = 0;
    for (fs::path const& folder :
         {fs::path(fixtures), fs::path(examples), fs::path(examples) / "modern"})
        for (auto const& entry : fs::directory_iterator(folder)) {
            if (entry.path().extension() != ".json") continue;
            if (!lkt::read_problem(entry.path().string())) continue; // a planted defect
            check_round(entry.path().string(), folder.string());
            ++seen;
        }
    CHECK(seen >= 32);
}

TEST_CASE("sizes that have names are numbered, and keep them") {
    auto p = stencil();
    p.size = {{"N", 100}, {"M_2", 64}};
    p.further_sizes.clear();
    for (auto& spec : p.arguments) spec.count = spec.value = lkt::expression(1);
    p.arguments.front().count = lkt::expression::parse("N * M_2 + min(N, 7)").value();
    p.launch.grid = {lkt::expression::parse("ceil_div(N, 8) if 'N' == 'N' else NN").value(), 1, 1};
    auto const refused = lkt::problem_text(p, fixtures);
    CHECK(refused.error().message.find("`NN`") != std::string::npos); // another name is no size
    p.launch.grid = {lkt::expression::parse("ceil_div(N, 8) if 'N' == 'N' else 1").value(), 1, 1};
    auto const text = lkt::problem_text(p, fixtures);
    REQUIRE_MESSAGE(text.has_value(), to_string(text.error()));
    CHECK(text->find("ProblemSize[0] * ProblemSize[1] + min(ProblemSize[0], 7)") !=
          std::string::npos);
    CHECK(text->find("ceil_div(ProblemSize[0], 8) if 'N' == 'N' else 1") != std::string::npos);
    auto const again = lkt::parse_problem(*text, fixtures);
    REQUIRE_MESSAGE(again.has_value(), to_string(again.error()));
    CHECK(again->size == p.size);
    CHECK(again->arguments.front().count == p.arguments.front().count);
    CHECK(again->launch == p.launch);
    CHECK(lkt::problem_text(*again, fixtures).value() == *text);
}

TEST_CASE("what a file cannot say is an error") {
    auto p = stencil();
    CHECK(lkt::problem_text(p, examples).error().code == "lkt.problem.file");
    p.unwritten = true;
    CHECK(lkt::problem_text(p, fixtures).error().code == "lkt.problem.unwritable");
}

TEST_CASE("what a buffer is filled with reads back, and which values are fair with it") {
    auto p = stencil();
    std::size_t const in = [&] {
        for (std::size_t k = 0; k < p.arguments.size(); ++k)
            if (p.signature.arguments[k].pointer && p.flow(k) == lkt::direction::in &&
                lkt::is_floating(p.signature.arguments[k].type.scalar))
                return k;
        return p.arguments.size();
    }();
    REQUIRE(in < p.arguments.size());
    auto const scope = lkt::scope_of(p.size, lkt::default_configuration(p.parameters));
    for (lkt::distribution const& fill : {lkt::distribution(lkt::uniform{0, 2}),
                                          lkt::distribution(lkt::uniform{}),
                                          lkt::distribution(lkt::uniform{3, 5}),
                                          lkt::distribution(lkt::constant{2}),
                                          lkt::distribution(lkt::normal{1, 2}),
                                          lkt::distribution(lkt::permutation{}),
                                          lkt::distribution(lkt::indices{lkt::expression(7)})}) {
        auto& spec = p.arguments[in];
        spec.min = spec.max = std::nullopt;
        spec.fill = fill;
        auto const text = lkt::problem_text(p, fixtures);
        REQUIRE_MESSAGE(text.has_value(), to_string(text.error()));
        CAPTURE(*text);
        auto const again = lkt::parse_problem(*text, fixtures);
        REQUIRE_MESSAGE(again.has_value(), to_string(again.error()));
        CHECK(again->arguments[in].fill == fill);
        CHECK(lkt::fair_values(again->signature.arguments[in], again->arguments[in], scope) ==
              lkt::fair_values(p.signature.arguments[in], spec, scope));
    }
}

TEST_CASE("fills that cannot be are told by their place") {
    auto const text = lkt::problem_text(stencil(), fixtures).value();
    auto const with = [&](std::string const& fills) {
        auto whole = text;
        whole.replace(whole.find("\"lkt\": {"), 8, "\"lkt\": {\"fills\": " + fills + ", ");
        auto const read = lkt::parse_problem(whole, fixtures);
        return read ? std::string("nothing is wrong") : to_string(read.error());
    };
    CHECK(with(R"({"nothing": "permutation"})").find("nothing") != std::string::npos);
    for (auto const& argument : stencil().signature.arguments) {
        auto const said = with("{\"" + argument.name + R"(": {"inject": "nan"}})");
        CHECK(said.find(argument.pointer ? "special values are for lkt.tests" : "not filled") !=
              std::string::npos);
        CHECK(with("{\"" + argument.name + R"(": "magic"})") != "nothing is wrong");
    }
}
