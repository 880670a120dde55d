// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/picture.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "machines.hpp"

using namespace machines;

TEST_CASE("a picture has the nodes, the terminals and every edge") {
    auto const drawn = lkt::picture_of<refine>();
    CHECK(drawn.name == "refine");
    REQUIRE(drawn.nodes.size() == 4);
    CHECK(drawn.nodes[3].name == "verify");
    CHECK(drawn.terminals == std::vector<std::string>{"gave_up", "tuned", "broke"});
    CHECK(drawn.edges.size() == 1 + 1 + 2 + 1 + 1 + 3);
    auto const limits = std::count_if(drawn.edges.begin(), drawn.edges.end(), [](auto const& e) {
        return e.kind == lkt::edge_kind::limit;
    });
    CHECK(limits == 2);
}

TEST_CASE("limits say where they come from") {
    auto const drawn = lkt::picture_of<refine>();
    CHECK(drawn.edges[1].label == "after 8 visits");
    CHECK(drawn.edges[5].label == "after max_fixes visits");
}

TEST_CASE("a nested graph is inside of its node") {
    auto const drawn = lkt::picture_of<campaign>();
    CHECK(drawn.nodes[0].nested.empty());
    REQUIRE(drawn.nodes[1].nested.size() == 1);
    CHECK(drawn.nodes[1].nested[0].name == "asking");
    CHECK(lkt::detail::picture_id("n1_", -1) == "n1_t0");
    CHECK(lkt::detail::picture_head(drawn, "", 1) == "n1_n0");
}
