// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/words.hpp>

#include <doctest/doctest.h>

TEST_CASE("Values, configurations, sizes and launches in words") {
    CHECK(lkt::value_words(std::int64_t{-4}) == "-4");
    CHECK(lkt::value_words(0.1) == "0.1");
    CHECK(lkt::value_words(true) == "True");
    CHECK(lkt::value_words(std::string("fast")) == "'fast'");
    CHECK(lkt::values_words({std::int64_t{1}, 2.5}) == "1, 2.5");
    CHECK(lkt::configuration_words({{{"TILE", std::int64_t{16}}, {"MODE", std::string("a")}}}) ==
          "TILE=16, MODE='a'");
    CHECK(lkt::configuration_words({}).empty());
    CHECK(lkt::size_words({{"N", 256}, {"K", 64}}) == "N=256, K=64");
    CHECK(lkt::size_words({}) == "(none)");
    lkt::launch_formula f;
    f.grid[0] = lkt::expression::parse("ceil_div(N, 32)").value();
    f.block[0] = 32;
    CHECK(lkt::launch_words(f) == "- grid: `ceil_div(N, 32)`, `1`, `1`\n- block: `32`, `1`, `1`\n");
    f.shared_bytes = 128;
    CHECK(lkt::launch_words(f).find("`128` bytes") != std::string::npos);
}
