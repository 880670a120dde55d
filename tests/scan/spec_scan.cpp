// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/spec_scan.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace {

using lkt::spec_scan;

/// Of matrix products.
lkt::result<spec_scan> over(char const* m,
                            char const* n,
                            char const* k,
                            std::vector<lkt::scan_draft> drafts = {lkt::gemm_draft{}}) {
    auto const axis = [](char const* text) { return lkt::scan_axis::parse(text).value(); };
    return spec_scan::over({{"K", axis(k)}, {"m", axis(m)}, {"N", axis(n)}}, std::move(drafts));
}

lkt::gemm_shape shape(lkt::result<lkt::scan_spec> const& spec) { return spec->gemm()->shape(); }

} // namespace

TEST_CASE("spec_scan: all combinations, counted before, each once") {
    std::vector<lkt::scan_draft> drafts;
    for (auto const type : {lkt::gemm_type::f16, lkt::gemm_type::bf16})
        for (auto const b : {lkt::matrix_layout::row, lkt::matrix_layout::column})
            drafts.push_back(lkt::gemm_draft{.type = type, .b = b});
    auto const scan = over("1,2", "4", "8..10", drafts);
    REQUIRE(scan.has_value());
    REQUIRE(scan->size() == 24);
    std::vector<std::string> all;
    for (std::size_t i = 0; i < scan->size(); ++i) all.push_back(to_string(*scan->at(i)));
    CHECK(all[0] == "1x4x8 f16 rrr");
    CHECK(all[1] == "1x4x9 f16 rrr");
    CHECK(all[23] == "2x4x10 bf16 rcr");
    std::sort(all.begin(), all.end());
    CHECK(std::unique(all.begin(), all.end()) == all.end());
}

TEST_CASE("spec_scan: extents that grow with another need no lists of their own") {
    auto const scan = over("1..8:x2", "M", "4*M");
    REQUIRE(scan.has_value());
    CHECK(scan->size() == 4);
    CHECK(shape(scan->at(2)) == lkt::gemm_shape{4, 4, 16});
    CHECK(over("N", "M", "4").error().code == "lkt.scan.axes");
    CHECK(over("4", "Q", "4").error().code == "lkt.scan.axes");
    // What cannot be is an error of its product alone.
    auto const negative = over("1,9", "4", "M - 5");
    CHECK(negative->at(0).error().code == "lkt.scan.gemm-size");
    CHECK(negative->at(1).has_value());
}

TEST_CASE("spec_scan: lists and files of shapes") {
    auto const plain = lkt::parse_shapes("# M N K\n1 2 3\n\n4,5,6 # a comment\r\n1 2 3\n");
    auto const scan = spec_scan::of(plain.value(), {lkt::gemm_draft{}});
    CHECK(scan->size() == 2);
    CHECK(scan->dropped() == 1);
    CHECK(shape(scan->at(1)) == lkt::gemm_shape{4, 5, 6});
    auto const named = lkt::parse_shapes("layer,K,M,\"N\"\nq_proj,3,1,2\n");
    CHECK(shape(spec_scan::of(named.value(), {lkt::gemm_draft{}})->at(0)) ==
          lkt::gemm_shape{1, 2, 3});
    CHECK(lkt::parse_shapes("\xEF\xBB\xBFm,n,k\r\n1,2,3\r\n").has_value()); // of a spreadsheet
    auto const wrong = lkt::parse_shapes("1 2 3\n4 five 6\n");
    CHECK(wrong.error().message.starts_with("line 2: "));
    CHECK(lkt::parse_shapes("1 2\n").error().code == "lkt.scan.shapes");
    CHECK(spec_scan::of({{"M", "N", "K"}, {}}, {lkt::gemm_draft{}}).error().code ==
          "lkt.scan.empty");
    CHECK(lkt::parse_layouts("rx").error().code == "lkt.scan.layout");
}

TEST_CASE("spec_scan: convolutions and element-wise operations, by the names of their extents") {
    lkt::scan_draft const draft = lkt::convolution_draft{.layout = lkt::image_layout::nhwc};
    std::vector<lkt::named_axis> axes;
    for (char const* text : {"n=1", "c=8,16", "h=5", "w=H", "k=C", "r=3", "s=R", "padding=0,1"})
        axes.push_back(lkt::parse_axis(text, draft).value());
    auto const scan = spec_scan::over(axes, {draft});
    REQUIRE(scan.has_value());
    REQUIRE(scan->size() == 4);
    CHECK(to_string(*scan->at(0)) == "conv 1x8x5x5 8x3x3 f32 nhwc");
    CHECK(to_string(*scan->at(3)) == "conv 1x16x5x5 16x3x3 f32 nhwc padding=1");
    CHECK(lkt::parse_axis("stride=0", draft).error().code == "lkt.scan.range");
    CHECK(lkt::parse_axis("M=4", draft).error().hint.find("padding") != std::string::npos);
    axes.pop_back();
    axes.pop_back();
    CHECK(spec_scan::over(axes, {draft}).error().message.find("`S`") != std::string::npos);
    axes.push_back(axes.front());
    CHECK(spec_scan::over(axes, {draft}).error().message.find("twice") != std::string::npos);
    CHECK(spec_scan::over({}, {draft, lkt::gemm_draft{}}).error().code == "lkt.scan.axes");

    auto const layers = lkt::parse_shapes("layer,stride,n,c,h,w,k,r,s\na,2,1,3,9,9,4,3,3\n", draft);
    REQUIRE(layers.has_value());
    CHECK(to_string(*spec_scan::of(*layers, {draft})->at(0)) ==
          "conv 1x3x9x9 4x3x3 f32 nhwc stride=2");
    CHECK(lkt::parse_shapes("1 3 9 9 4 3\n", draft).error().message == "line 1: there is no S");
    lkt::scan_draft const sums = lkt::elementwise_draft{};
    CHECK(to_string(*spec_scan::of(*lkt::parse_shapes("1024", sums), {sums})->at(0)) ==
          "add 1024 f32");
    CHECK(spec_scan::of({{"elements"}, {{1, 2}}}, {sums}).error().code == "lkt.scan.axes");
}
