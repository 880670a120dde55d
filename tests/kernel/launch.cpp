// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/launch.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

lkt::expression parsed(char const* text) { return lkt::expression::parse(text).value(); }

lkt::expression_scope scope(std::vector<std::pair<std::string, std::int64_t>> const& values) {
    lkt::expression_scope s;
    for (auto const& [name, value] : values) s.values.emplace_back(name, value);
    return s;
}

} // namespace

TEST_CASE("a formula gives the dimensions of each size and configuration") {
    lkt::launch_formula f;
    f.grid = {parsed("ceil_div(N, BLOCK * ITEMS)"), parsed("M"), 1};
    f.block = {parsed("BLOCK"), 1, 1};
    f.shared_bytes = parsed("BLOCK * 4");
    auto const d = f.evaluate(scope({{"N", 1000}, {"M", 3}, {"BLOCK", 64}, {"ITEMS", 2}}));
    REQUIRE(d.has_value());
    CHECK(*d == lkt::launch_dimensions{{8, 3, 1}, {64, 1, 1}, 256});
    CHECK(to_string(*d) == "grid 8x3, block 64, 256 B shared");
}

TEST_CASE("text of dimensions") {
    CHECK(to_string(lkt::launch_dimensions{{32, 32, 1}, {16, 16, 1}, 0}) ==
          "grid 32x32, block 16x16");
    CHECK(to_string(lkt::launch_dimensions{{1, 1, 4}, {2, 3, 4}, 0}) == "grid 1x1x4, block 2x3x4");
    CHECK(lkt::dim3{0xffffffffU, 2, 2}.count() == 4ULL * 0xffffffffU);
}

TEST_CASE("an extent out of range is named") {
    lkt::launch_formula f;
    f.grid[1] = parsed("N // 100");
    auto const zero = f.evaluate(scope({{"N", 10}}));
    REQUIRE(zero.has_error());
    CHECK(zero.error().code == "lkt.launch.extent");
    CHECK(zero.error().message ==
          "grid.y = `N // 100` is 0, which is not between 1 and 2147483647");
    CHECK(f.evaluate(scope({{"N", 100LL << 31}})).has_error());
    CHECK(f.evaluate(scope({{"N", (100LL << 31) - 1}})).has_value());
    f.block[2] = parsed("M");
    CHECK(f.evaluate({}).error().message == "block.z: column 1 of `M`: nothing is called `M`");
    f.block[2] = 1;
    f.shared_bytes = -4;
    CHECK(f.evaluate(scope({{"N", 100}})).error().message ==
          "shared memory = `-4` is -4, which is not between 0 and 2147483647");
}

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
