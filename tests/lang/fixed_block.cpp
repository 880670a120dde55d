// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/fixed_block.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

TEST_CASE("the block that a WGSL text fixes is the launch's") {
    lkt::kernel_source const text{lkt::language::wgsl,
                                  "override W: u32 = 32; override H: u32 = 4;"
                                  "@compute @workgroup_size(W, H * 2) fn k() {}",
                                  ""};
    std::vector<lkt::tunable_parameter> const tuned{{"W", {std::int64_t{8}}},
                                                    {"BLOCK_Y", {std::int64_t{8}}}};
    auto const block = lkt::fixed_block(text, "", tuned).value();
    REQUIRE(block.has_value());
    auto const f = lkt::default_launch({{"N", 100}}, tuned, block);
    CHECK(f.grid[0].text() == "ceil_div(N, (W))");
    lkt::expression_scope const scope{{{"N", std::int64_t{100}}, {"W", std::int64_t{8}}}, {}};
    CHECK(f.evaluate(scope).value() == lkt::launch_dimensions{{13, 1, 1}, {8, 8, 1}, 0});
    CHECK(lkt::default_launch({}, {}, block).block[0].text() == "W");
    CHECK_FALSE(lkt::fixed_block({lkt::language::cuda, "", ""}, "", {}).value().has_value());
    CHECK(lkt::fixed_block({lkt::language::wgsl, "fn f() {}", ""}, "", {}).has_error());
}
