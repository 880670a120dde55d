// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/defect.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

TEST_CASE("every defect has a stable code of its own") {
    std::set<std::string_view> codes;
    for (int i = 1; i <= static_cast<int>(lkt::defect::unbounded_loop); ++i) {
        auto const code = code_of(static_cast<lkt::defect>(i));
        CHECK(code.substr(0, 10) == "lkt.graph.");
        codes.insert(code);
    }
    CHECK(codes.size() == 13);
    CHECK(code_of(lkt::defect::none).empty());
    CHECK(code_of(lkt::defect::missing_edge) == "lkt.graph.missing-edge");
}

TEST_CASE("a report is true when there is no defect") {
    CHECK(static_cast<bool>(lkt::report{}));
    CHECK_FALSE(static_cast<bool>(lkt::report{lkt::defect::no_way_out, 1}));
    CHECK(lkt::report{} == lkt::report{});
}

TEST_CASE("every code is explained in docs/diagnostics.md") {
    std::ifstream page(std::string(LKT_TEST_SOURCE_DIR) + "/../docs/diagnostics.md");
    REQUIRE(page.good());
    std::string const text{std::istreambuf_iterator<char>(page), {}};
    for (int i = 1; i <= static_cast<int>(lkt::defect::unbounded_loop); ++i) {
        auto const code = code_of(static_cast<lkt::defect>(i));
        CAPTURE(code);
        CHECK(text.find("`" + std::string(code) + "`") != std::string::npos);
    }
}
