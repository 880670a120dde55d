// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/bound_scalars.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace {

lkt::expression e(std::string const& text) { return lkt::expression::parse(text).value(); }

/// Of `kernel(float* data, int n, int width, int steps, int drawn)`.
lkt::problem task() {
    lkt::problem p;
    auto const add = [&](std::string name, bool pointer, std::string const& value, bool random) {
        lkt::argument a;
        a.name = std::move(name);
        a.pointer = pointer;
        p.signature.arguments.push_back(std::move(a));
        lkt::argument_spec spec;
        (pointer ? spec.count : spec.value) = e(value);
        spec.random = random;
        p.arguments.push_back(std::move(spec));
    };
    add("data", true, "ProblemSize[0]", false);
    add("n", false, "ProblemSize[0]", false);
    add("width", false, "2 * W", false);
    add("steps", false, "3", false);
    add("drawn", false, "ProblemSize[0]", true);
    p.size = {{"ProblemSize[0]", 100}, {"W", 7}};
    return p;
}

lkt::launch_formula grid(std::string const& x) {
    lkt::launch_formula f;
    f.grid[0] = e(x);
    return f;
}

std::string over_sizes(std::string const& text) {
    return lkt::over_sizes(grid(text), task(), {}).grid[0].text();
}

} // namespace

TEST_CASE("A launch may name scalar arguments that follow from the sizes") {
    CHECK(over_sizes("ceil_div(n, 64)") == e("ceil_div(ProblemSize[0], 64)").text());
    CHECK(over_sizes("width * width") == e("(2 * W) * (2 * W)").text());
    // Another number may be passed, or another one is drawn.
    CHECK(over_sizes("steps + drawn") == e("steps + drawn").text());
    CHECK(over_sizes("N + nn + n2 + W + ProblemSize[1] + 1e3") ==
          e("N + nn + n2 + W + ProblemSize[1] + 1e3").text());
    CHECK(over_sizes("1 if 'n' == \"n\" else n") ==
          e("1 if 'n' == \"n\" else ProblemSize[0]").text());
    auto const made = lkt::over_sizes(grid("n * width"), task(), {}).grid[0];
    CHECK(made.evaluate_integer(lkt::scope_of(task().size, {})).value() == 1400);
    lkt::tunable_parameter const n{"n", {std::int64_t{1}}};
    CHECK(lkt::over_sizes(grid("n"), task(), {&n, 1}).grid[0].text() == "n");
    auto named = task();
    named.size[1].first = "n"; // and not the argument
    CHECK(lkt::over_sizes(grid("n"), named, {}).grid[0].text() == "n");
}

TEST_CASE("People read the names of arguments") {
    auto const shown = [](lkt::problem const& p, std::string const& text) {
        return lkt::over_scalars(grid(text), p, {}).grid[0].text();
    };
    CHECK(shown(task(), "ceil_div(ProblemSize[0], BLOCK) * W") ==
          e("ceil_div(n, BLOCK) * W").text());
    CHECK(lkt::identifier_of_size(task(), 0) == "n");
    CHECK(lkt::identifier_of_size(task(), 1) == "W");
    auto other = task();
    other.arguments[1].value = e("2 * ProblemSize[0]");
    CHECK(shown(other, "ProblemSize[0]") == "ProblemSize[0]");
    CHECK(lkt::identifier_of_size(other, 0).empty());
}
