// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/launch.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

lkt::expression parsed(char const* text) { return lkt::expression::parse(text).value(); }

lkt::expression_scope scope(std::vector<std::pair<std::string, std::int64_t>> const& values) {
    lkt::expression_scope s;
    for (auto const& [name, value] : values) s.values.emplace_back(name, value);
    return s;
}

} // namespace

TEST_CASE("geometry over extents, with divisors") {
    std::vector<lkt::expression> const extents{parsed("W"), parsed("H + 1")};
    std::vector<lkt::expression> const block{parsed("BX"), parsed("2 * T")};
    std::vector<std::vector<lkt::expression>> const divisors{{parsed("T"), 2}};
    auto const f = geometry_over(extents, block, divisors);
    REQUIRE(f.has_value());
    CHECK(f->grid[0].text() == "ceil_div(W, (BX) * (T) * (2))");
    auto const d = f->evaluate(scope({{"W", 1000}, {"H", 64}, {"BX", 32}, {"T", 4}}));
    CHECK(d.value() == lkt::launch_dimensions{{4, 9, 1}, {32, 8, 1}, 0});
    CHECK(geometry_over({}, block).has_error());
    CHECK(geometry_over(std::vector<lkt::expression>(4), block).has_error());
    CHECK(geometry_over(std::vector<lkt::expression>(1), block).has_error());
}

TEST_CASE("default geometry follows from the parameters' names") {
    auto const text = [](std::vector<std::string> const& extents,
                         std::vector<lkt::tunable_parameter> const& parameters) {
        auto const f = default_geometry(extents, parameters);
        if (!f) return f.error().message;
        return f->grid[0].text() + " " + f->grid[1].text() + " | " + f->block[0].text() + " " +
               f->block[1].text() + " " + f->block[2].text();
    };
    std::vector<lkt::parameter_value> const v{std::int64_t{32}};
    CHECK(text({"N"}, {}) == "ceil_div(N, (256)) 1 | 256 1 1");
    CHECK(text({"W", "H"}, {}) == "ceil_div(W, (16)) ceil_div(H, (16)) | 16 16 1");
    CHECK(text({"N"}, {{"BLOCK", v}}) == "ceil_div(N, (BLOCK)) 1 | BLOCK 1 1");
    CHECK(text({"N"}, {{"block_size_x", v}, {"BLOCK", v}}) ==
          "ceil_div(N, (block_size_x)) 1 | block_size_x 1 1");
    CHECK(text({"W", "H"}, {{"BLOCK_Y", v}, {"BLOCK_SIZE_X", v}}) ==
          "ceil_div(W, (BLOCK_SIZE_X)) ceil_div(H, (BLOCK_Y)) | BLOCK_SIZE_X BLOCK_Y 1");
    CHECK(text({"W", "H"}, {{"block_x", v}}) ==
          "ceil_div(W, (block_x)) ceil_div(H, (1)) | block_x 1 1");
    CHECK(text({}, {}) == "no default launch covers 0 extents; give grid and block");
    CHECK(text({"a", "b", "c", "d"}, {}).find("covers 4 extents") != std::string::npos);
}

TEST_CASE("default launch") {
    auto const text = [](std::vector<std::pair<std::string, std::int64_t>> const& size,
                         std::vector<lkt::tunable_parameter> const& parameters) {
        lkt::launch_formula const f = lkt::default_launch(size, parameters);
        return f.grid[0].text() + " " + f.grid[1].text() + " " + f.grid[2].text() + " | " +
               f.block[0].text() + " " + f.block[1].text() + " " + f.block[2].text();
    };
    CHECK(text({{"N", 4}}, {}) == "ceil_div(N, (256)) 1 1 | 256 1 1");
    CHECK(text({{"W", 4}, {"H", 4}}, {{"block_y", {std::int64_t{4}}}}) ==
          "ceil_div(W, (1)) ceil_div(H, (block_y)) 1 | 1 block_y 1");
    CHECK(text({{"a-b", 4}}, {}) == "ceil_div(ProblemSize[0], (256)) 1 1 | 256 1 1");
    CHECK(text({}, {}) == "1 1 1 | 1 1 1");
    CHECK(text({{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}}, {}) ==
          "ceil_div(a, (8)) ceil_div(b, (8)) ceil_div(c, (8)) | 8 8 8");
}

TEST_CASE("a grid follows a block that changes") {
    auto const grid = [](char const* before, char const* block, char const* now) {
        lkt::launch_formula f;
        f.grid[1] = lkt::expression::parse(before).value();
        f.block[1] = lkt::expression::parse(block).value();
        auto const made = lkt::with_block(f, {1, lkt::expression::parse(now).value(), 1}).value();
        CHECK(made.block[1].text() == now);
        return made.grid[1].text();
    };
    CHECK(grid("ceil_div(N, (64))", "64", "128") == "ceil_div(N, (128))");
    CHECK(grid("ceil_div(N, 64)", "64", "T * 2") == "ceil_div(N, T * 2)");
    CHECK(grid("ceil_div(max(N, (64)), (64) * (ITEMS))", "64", "32") ==
          "ceil_div(max(N, (64)), (32) * (ITEMS))");
    CHECK(grid("BLOCKS", "64", "64") == "BLOCKS");
    CHECK(grid("ceil_div(A, 64) + ceil_div(B, 64)", "64", "32") ==
          "ceil_div((ceil_div(A, 64) + ceil_div(B, 64)) * (64), 32)");
    CHECK(grid("ceil_div(min(N, (64) * 2), 2)", "64", "32") ==
          "ceil_div((ceil_div(min(N, (64) * 2), 2)) * (64), 32)");
    CHECK(grid("30", "64", "T") == "ceil_div((30) * (64), T)");
    CHECK(grid("ceil_div(N, (64)) * 2", "64", "128") ==
          "ceil_div((ceil_div(N, (64)) * 2) * (64), 128)");
}
