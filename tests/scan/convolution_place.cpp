// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/detail/convolution_place.hpp>

#include <doctest/doctest.h>

#include <lkt/scan/detail/scan_check.hpp>

#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace lkt;
using namespace lkt::detail::scan;

double value(gemm_values const& v, std::int64_t index) {
    return v.values()[static_cast<std::size_t>(index) % gemm_values::period];
}

/// As one writes it by hand: no matrix product, and each layout by itself.
std::vector<float> convolved(convolution_spec const& spec,
                             gemm_values const& images,
                             gemm_values const& filters,
                             std::int64_t shift = 0) {
    auto const& d = spec.draft();
    bool const nchw = d.layout == image_layout::nchw;
    std::int64_t const channels = d.c / d.groups, per = d.k / d.groups, p = spec.p(), q = spec.q();
    std::vector<float> out(static_cast<std::size_t>(spec.outputs()));
    for (std::int64_t n = 0; n < d.n; ++n)
        for (std::int64_t k = 0; k < d.k; ++k)
            for (std::int64_t i = 0; i < p; ++i)
                for (std::int64_t j = 0; j < q; ++j) {
                    double sum = 0;
                    for (std::int64_t c = 0; c < channels; ++c)
                        for (std::int64_t r = 0; r < d.r; ++r)
                            for (std::int64_t s = 0; s < d.s; ++s) {
                                std::int64_t const h = i * d.stride + r * d.dilation - d.padding,
                                                   w = j * d.stride + s * d.dilation - d.padding +
                                                       shift,
                                                   in = k / per * channels + c;
                                if (h < 0 || h >= d.h || w < 0 || w >= d.w) continue;
                                sum += nchw ? value(images, ((n * d.c + in) * d.h + h) * d.w + w) *
                                                  value(filters,
                                                        ((k * channels + c) * d.r + r) * d.s + s)
                                            : value(images, ((n * d.h + h) * d.w + w) * d.c + in) *
                                                  value(filters,
                                                        ((k * d.r + r) * d.s + s) * channels + c);
                            }
                    out[static_cast<std::size_t>(nchw ? ((n * d.k + k) * p + i) * q + j
                                                      : ((n * p + i) * q + j) * d.k + k)] =
                        static_cast<float>(sum);
                }
    return out;
}

std::span<std::byte const> bytes_of(std::vector<float> const& v) {
    return std::as_bytes(std::span(v));
}

} // namespace

TEST_CASE("A convolution is compared wherever its elements lie: layouts, groups, steps, padding") {
    std::vector<gemm_values> in;
    in.emplace_back(gemm_type::f32, 1);
    in.emplace_back(gemm_type::f32, 2);
    convolution_draft const drafts[] = {
        {.n = 2, .c = 3, .h = 7, .w = 6, .k = 8, .r = 3, .s = 2},
        {.n = 2, .c = 8, .h = 9, .w = 8, .k = 12, .r = 3, .s = 3, .stride = 2, .padding = 1},
        {.n = 3,
         .c = 8,
         .h = 9,
         .w = 7,
         .k = 8,
         .r = 3,
         .s = 3,
         .padding = 2,
         .dilation = 2,
         .groups = 4},
        {.n = 2, .c = 6, .h = 5, .w = 5, .k = 6, .r = 3, .s = 3, .padding = 1, .groups = 6}};
    for (auto draft : drafts)
        for (auto const layout : {image_layout::nchw, image_layout::nhwc}) {
            draft.layout = layout;
            auto const spec = convolution_spec::make(draft).value();
            CAPTURE(to_string(spec));
            auto right = convolved(spec, in[0], in[1]);
            CHECK(scan_check(spec, in).judge(bytes_of(right)).why == "");
            // Any element, whichever the 64 that are looked at are.
            for (std::size_t at = 0; at < right.size(); at += 7) {
                float const was = std::exchange(right[at], right[at] + 0.2F);
                auto const answer = scan_check(spec, in).judge(bytes_of(right));
                CHECK(answer.verdict == scan_verdict::wrong);
                right[at] = was;
            }
            auto const shifted = convolved(spec, in[0], in[1], 1);
            CHECK(scan_check(spec, in).judge(bytes_of(shifted)).verdict == scan_verdict::wrong);
            auto other = draft;
            other.layout = layout == image_layout::nchw ? image_layout::nhwc : image_layout::nchw;
            CHECK(scan_check(convolution_spec::make(other).value(), in)
                      .judge(bytes_of(right))
                      .verdict == scan_verdict::wrong);
        }
}

TEST_CASE("A wrong element of a convolution is named by its image, filter and place") {
    auto const spec = convolution_spec::of<convolution_draft{
        .n = 2, .c = 2, .h = 3, .w = 3, .k = 4, .r = 2, .s = 2, .groups = 2}>();
    std::vector<gemm_values> in;
    in.emplace_back(gemm_type::f32, 1);
    in.emplace_back(gemm_type::f32, 2);
    auto right = convolved(spec, in[0], in[1]);
    right.back() += 1; // n 1, k 3, p 1, q 1
    auto const answer = scan_check(spec, in).judge(bytes_of(right));
    CHECK(answer.why.starts_with("element (1, 3, 1, 1) is "));
    CHECK(comparable(spec));
    CHECK_FALSE(
        comparable(convolution_spec::of<convolution_draft{
                       .n = 2000, .c = 1, .h = 2000, .w = 2000, .k = 1, .r = 1, .s = 1}>()));
}
