// SPDX-License-Identifier: BSL-1.0
#include <lkt/tuner/problem_from.hpp>

#include <doctest/doctest.h>

#include "../support/fake_gpu.hpp"

namespace {

lkt::kernel_source const source{lkt::language::cuda, lkt_test::original_text, "twice.cu"};

lkt::kernel_options options() {
    lkt::kernel_options o;
    o.size = {{"n", 64}};
    o.arguments = {{"x", "n"}, {"y", "n"}};
    return o;
}

lkt::error error_of(lkt::kernel_options const& o) {
    auto const p = lkt::problem_from(source, o);
    REQUIRE(p.has_error());
    CHECK_FALSE(p.error().hint.empty());
    return p.error();
}

} // namespace

TEST_CASE("A kernel and what its text does not say make a problem") {
    auto o = options();
    o.parameters = {{"BLOCK", {std::int64_t{32}, std::int64_t{64}}}};
    o.restrictions = {"BLOCK <= n"};
    o.further_sizes = {{{"n", 100}}};
    o.shared_bytes = "4 * BLOCK";
    o.notes = "doubles";
    auto const p = lkt::problem_from(source, o);
    REQUIRE(p.has_value());
    CHECK(p->signature.name == "twice");
    REQUIRE(p->arguments.size() == 3);
    CHECK(p->arguments[0].count.text() == "n");
    CHECK(p->arguments[2].value.text() == "n"); // called like the size
    CHECK(p->flow(0) == lkt::direction::in);
    CHECK(p->flow(1) == lkt::direction::out);
    CHECK(p->restrictions.size() == 1);
    CHECK(p->notes == "doubles");
    // The default geometry follows the parameter.
    auto const d = p->launch.evaluate(lkt::scope_of(p->size, {{{"BLOCK", std::int64_t{32}}}}));
    REQUIRE(d.has_value());
    CHECK(d->grid.x == 2);
    CHECK(d->block.x == 32);
    CHECK(d->shared_bytes == 128);
}

TEST_CASE("Geometry may be given in full") {
    auto o = options();
    o.grid = {"ceil_div(n, 16)", "2"};
    o.block = {"16"};
    auto const p = lkt::problem_from(source, o);
    REQUIRE(p.has_value());
    CHECK(p->launch.grid[1].text() == "2");
    CHECK(p->launch.block[2].text() == "1");
}

TEST_CASE("What is missing or wrong is named, with what to add") {
    auto o = options();
    o.arguments = {{"x", "n"}};
    CHECK(error_of(o).message.find("`y`") != std::string::npos);
    o = options();
    o.size = {{"N", 64}};
    o.arguments = {{"x", "N"}, {"y", "N"}};
    CHECK(error_of(o).message.find("`n`") != std::string::npos);
    o = options();
    o.arguments.emplace_back("z", "n");
    CHECK(error_of(o).message.find("`z`") != std::string::npos);
    o = options();
    o.grid = {"1", "1", "1", "1"};
    o.block = {"1"};
    CHECK(error_of(o).message.find("grid") != std::string::npos);
    o = options();
    o.grid = {"1"}; // the block is missing
    CHECK(error_of(o).message.find("block") != std::string::npos);

    o = options();
    o.arguments[1].second = "n *";
    auto const syntax = lkt::problem_from(source, o);
    REQUIRE(syntax.has_error());
    CHECK(syntax.error().message.find("argument `y`") != std::string::npos);
    o = options();
    o.kernel = "thrice";
    CHECK(lkt::problem_from(source, o).has_error());
}

TEST_CASE("A buffer says how it is filled and which way it flows") {
    auto o = options();
    o.arguments = {{"x", "n:indices(n // 2)"}, {"y", "n:constant(0.5):inout"}};
    auto const p = lkt::problem_from(source, o);
    REQUIRE(p.has_value());
    REQUIRE(std::holds_alternative<lkt::indices>(p->arguments[0].fill));
    CHECK(std::get<lkt::indices>(p->arguments[0].fill).below.text() == "n // 2");
    REQUIRE(std::holds_alternative<lkt::constant>(p->arguments[1].fill));
    CHECK(std::get<lkt::constant>(p->arguments[1].fill).value == 0.5);
    CHECK(p->flow(1) == lkt::direction::inout);
}

TEST_CASE("What an argument's text gets wrong is named") {
    for (std::string const text : {"n:sometimes",
                                   "n:uniform(2,1)",
                                   "n:uniform(1)",
                                   "n:normal(0,-1)",
                                   "n:constant(x)",
                                   "n:uniform(0,inf)",
                                   "n:"}) {
        CAPTURE(text);
        auto o = options();
        o.arguments[0].second = text;
        CHECK(error_of(o).code == "lkt.problem.argument");
    }
    auto o = options();
    o.arguments.push_back({"n", "4:in"}); // a scalar
    CHECK(error_of(o).message.find("scalar `n`") != std::string::npos);
    o.arguments.back() = {"x", "n"};
    CHECK(error_of(o).message.find("twice") != std::string::npos);
}

TEST_CASE("Members of structs take values, constant memory has the length that it declares") {
    lkt::kernel_source const text{
        lkt::language::cuda,
        "struct range { int n; float low; };\n__constant__ float c[3];\n"
        "__global__ void k(float* y, range r) { y[threadIdx.x] = c[0] + r.low; }",
        "k.cu"};
    lkt::kernel_options o;
    o.size = {{"n", 64}};
    o.arguments = {{"y", "n"}};
    auto const missing = lkt::problem_from(text, o);
    REQUIRE(missing.has_error());
    CHECK(missing.error().message == "what is the value of `low` (of range r)?");
    o.arguments.emplace_back("low", "2");
    auto const p = lkt::problem_from(text, o);
    REQUIRE(p.has_value());
    REQUIRE(p->arguments.size() == 4);
    CHECK(p->arguments[1].value.text() == "n"); // called like the size
    CHECK(p->arguments[3].count.text() == "3");
    o.arguments.emplace_back("c", "3:constant(2)");
    CHECK(lkt::problem_from(text, o).has_value());
}

TEST_CASE("What nobody said is open") {
    lkt::kernel_source const source{
        lkt::language::cuda,
        "__global__ void k(float const* x, float* y, int n) { y[0] = x[n]; }",
        "k.cu"};
    auto const all = lkt::draft_from(source, {});
    REQUIRE_MESSAGE(all.has_value(), to_string(all.error()));
    CHECK(all->open == std::vector<std::size_t>{0, 1, 2});
    CHECK(all->known.size.empty());
    CHECK(all->launch_is_open);
    CHECK_FALSE(all->complete());

    lkt::kernel_options o;
    o.size = {{"n", 64}};
    o.arguments = {{"x", "n:uniform(0,1)"}};
    auto const some = lkt::draft_from(source, o);
    REQUIRE(some.has_value());
    CHECK(some->open == std::vector<std::size_t>{1});
    CHECK_FALSE(some->launch_is_open);
    CHECK(some->known.arguments[0].count.text() == "n");

    o.arguments.emplace_back("y", "1");
    CHECK(lkt::draft_from(source, o)->complete());
    o.arguments.emplace_back("z", "1");
    CHECK(lkt::draft_from(source, o).has_error());
}
