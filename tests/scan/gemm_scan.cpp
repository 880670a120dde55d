// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/gemm_scan.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace {

lkt::scan_axis axis(char const* text) { return lkt::scan_axis::parse(text).value(); }

} // namespace

TEST_CASE("gemm_scan: ranges") {
    using numbers = std::vector<std::int64_t>;
    CHECK(lkt::parse_range("512").value() == numbers{512});
    CHECK(lkt::parse_range("1,2,5").value() == numbers{1, 2, 5});
    CHECK(lkt::parse_range("128..512:+128").value() == numbers{128, 256, 384, 512});
    CHECK(lkt::parse_range("1..100:x2").value() == numbers{1, 2, 4, 8, 16, 32, 64});
    CHECK(lkt::parse_range(" 1..4 , 3, 8..8").value() == numbers{1, 2, 3, 4, 8});
    CHECK(lkt::parse_range("1073741824..2147483647:x2").value() == numbers{1073741824});
    for (char const* wrong : {"",
                              "x",
                              "1..",
                              "1..4:",
                              "1..4:2",
                              "1..4:x1",
                              "1..4:+0",
                              "4..1",
                              "0",
                              "-1",
                              "1,,2",
                              "1..99999999",
                              "2147483648",
                              "1.5",
                              "1..4:x2:x2"}) {
        CAPTURE(wrong);
        auto const read = lkt::parse_range(wrong);
        REQUIRE_FALSE(read.has_value());
        CHECK(read.error().code == "lkt.scan.range");
    }
}

TEST_CASE("gemm_scan: all combinations, counted before, each once") {
    auto scan = lkt::gemm_scan::over(axis("1,2"), axis("4"), axis("8..10"));
    REQUIRE(scan.has_value());
    scan->types = {lkt::gemm_type::f16, lkt::gemm_type::bf16};
    scan->layouts = {lkt::parse_layouts("rrr").value(), lkt::parse_layouts("row,col,row").value()};
    REQUIRE(scan->size() == 24);
    std::vector<std::string> all;
    for (std::size_t i = 0; i < scan->size(); ++i) all.push_back(to_string(*scan->at(i)));
    CHECK(all[0] == "1x4x8 f16 rrr");
    CHECK(all[1] == "1x4x9 f16 rrr");
    CHECK(all[23] == "2x4x10 bf16 rcr");
    std::sort(all.begin(), all.end());
    CHECK(std::unique(all.begin(), all.end()) == all.end());
}

TEST_CASE("gemm_scan: extents that grow with another need no lists of their own") {
    auto const scan = lkt::gemm_scan::over(axis("1..8:x2"), axis("M"), axis("4*M"));
    REQUIRE(scan.has_value());
    CHECK(scan->size() == 4);
    CHECK(scan->at(2)->shape() == lkt::gemm_shape{4, 4, 16});
    CHECK(lkt::gemm_scan::over(axis("N"), axis("M"), axis("4")).error().code == "lkt.scan.axes");
    CHECK(lkt::gemm_scan::over(axis("4"), axis("Q"), axis("4")).error().code == "lkt.scan.axes");
    // What cannot be is an error of its product alone.
    auto const negative = lkt::gemm_scan::over(axis("1,9"), axis("4"), axis("M - 5"));
    CHECK(negative->at(0).error().code == "lkt.scan.gemm-size");
    CHECK(negative->at(1).has_value());
}

TEST_CASE("gemm_scan: lists and files of shapes") {
    auto const plain = lkt::parse_shapes("# M N K\n1 2 3\n\n4,5,6 # a comment\r\n1 2 3\n");
    auto const scan = lkt::gemm_scan::of(plain.value());
    CHECK(scan->size() == 2);
    CHECK(scan->dropped() == 1);
    CHECK(scan->at(1)->shape() == lkt::gemm_shape{4, 5, 6});
    auto const named = lkt::parse_shapes("layer,K,M,\"N\"\nq_proj,3,1,2\n");
    CHECK(named.value() == std::vector<lkt::gemm_shape>{{1, 2, 3}});
    auto const wrong = lkt::parse_shapes("1 2 3\n4 five 6\n");
    CHECK(wrong.error().message.starts_with("line 2: "));
    CHECK(lkt::parse_shapes("1 2\n").error().code == "lkt.scan.shapes");
    CHECK(lkt::gemm_scan::of({}).error().code == "lkt.scan.empty");
    CHECK(lkt::parse_layouts("rx").error().code == "lkt.scan.layout");
}
