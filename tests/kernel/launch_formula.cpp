// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/launch_formula.hpp>

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
    CHECK(f.evaluate({}).error().message == "block.z: column 1 of `M`: unknown name `M`");
    f.block[2] = 1;
    f.shared_bytes = -4;
    CHECK(f.evaluate(scope({{"N", 100}})).error().message ==
          "shared memory = `-4` is -4, which is not between 0 and 2147483647");
}
