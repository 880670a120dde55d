// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/convolution_spec.hpp>

#include <doctest/doctest.h>

#include <string>

using lkt::convolution_draft;
using lkt::convolution_spec;

namespace {

/// The first layer of a ResNet, of 2 images.
constexpr convolution_draft first{
    .n = 2, .c = 3, .h = 224, .w = 224, .k = 64, .r = 7, .s = 7, .stride = 2, .padding = 3};

} // namespace

TEST_CASE("convolution_spec: operations, bytes and intensity follow their formulas") {
    constexpr auto spec = convolution_spec::of<first>();
    static_assert(spec.p() == 112 && spec.q() == 112);
    static_assert(spec.operations() == lkt::flop_count(2.0 * 2 * 64 * 112 * 112 * 3 * 7 * 7));
    static_assert(spec.bytes() ==
                  lkt::byte_count(4.0 * (2 * 3 * 224 * 224 + 64 * 3 * 7 * 7 + 2 * 64 * 112 * 112)));
    static_assert(spec.as_gemm() == lkt::gemm_shape{2 * 112 * 112, 64, 3 * 7 * 7});
    CHECK(spec.intensity() == spec.operations() / spec.bytes());
    // A filter of 3 with a dilation of 2 covers 5; each of 4 groups has 2 channels and 4 filters.
    auto const grouped = convolution_spec::make({.n = 1,
                                                 .c = 8,
                                                 .h = 5,
                                                 .w = 7,
                                                 .k = 16,
                                                 .r = 3,
                                                 .s = 3,
                                                 .dilation = 2,
                                                 .groups = 4,
                                                 .type = lkt::gemm_type::f16,
                                                 .output = lkt::gemm_type::f32});
    CHECK(grouped->p() == 1);
    CHECK(grouped->q() == 3);
    CHECK(grouped->operations().count() == 2 * 16 * 3 * 2 * 9);
    CHECK(grouped->bytes().count() == 2 * (8 * 35 + 16 * 2 * 9) + 4 * 16 * 3);
    CHECK(grouped->as_gemm() == lkt::gemm_shape{3, 4, 18});
}

TEST_CASE("convolution_spec: what cannot be is not built") {
    auto const code = [](auto const& change) {
        auto draft = first;
        change(draft);
        auto const made = convolution_spec::make(draft);
        return made ? std::string() : made.error().code;
    };
    CHECK(code([](auto&) {}).empty());
    CHECK(code([](auto& d) { d.c = 0; }) == "lkt.scan.conv-size");
    CHECK(code([](auto& d) { d.n = std::int64_t{1} << 31; }) == "lkt.scan.conv-size");
    CHECK(code([](auto& d) { d.stride = 0; }) == "lkt.scan.conv-step");
    CHECK(code([](auto& d) { d.padding = -1; }) == "lkt.scan.conv-step");
    CHECK(code([](auto& d) { d.groups = 2; }) == "lkt.scan.conv-groups");
    CHECK(code([](auto& d) { d.groups = 0; }) == "lkt.scan.conv-groups");
    CHECK(code([](auto& d) { d.dilation = 38; }).empty()); // covers 229 of 230
    CHECK(code([](auto& d) { d.dilation = 39; }) == "lkt.scan.conv-window");
    CHECK(code([](auto& d) { d.n = 2'000'000'000, d.h = d.w = 10'000; }) == "lkt.scan.conv-large");
    // Nothing overflows where all is as large as it can be.
    constexpr std::int64_t most = 2147483647;
    CHECK(code([](auto& d) {
              d = {.n = most, .c = most, .h = most, .w = most, .k = most, .r = most, .s = most};
              d.padding = most;
          }) == "lkt.scan.conv-large");
    CHECK(code([](auto& d) { d.r = most, d.dilation = most; }) == "lkt.scan.conv-window");
}

TEST_CASE("convolution_spec: texts are equal for equal specs") {
    auto const spec = convolution_spec::of<first>();
    CHECK(to_string(spec) == "conv 2x3x224x224 64x7x7 f32 nchw stride=2 padding=3");
    auto draft = first;
    draft.output = lkt::gemm_type::f32;
    CHECK(convolution_spec::make(draft).value() == spec);
    draft.layout = lkt::image_layout::nhwc;
    draft.output = lkt::gemm_type::f64;
    CHECK(to_string(*convolution_spec::make(draft)) ==
          "conv 2x3x224x224 64x7x7 f32 nhwc stride=2 padding=3 >f64");
    CHECK(convolution_spec::make(draft).value() != spec);
    CHECK(lkt::image_layout_called("nhwc").value() == lkt::image_layout::nhwc);
    CHECK(lkt::image_layout_called("hwc").error().code == "lkt.scan.layout");
}
