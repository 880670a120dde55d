// SPDX-License-Identifier: BSL-1.0
// Convolutions of images, as networks have them (cross-correlations): each of N images of C
// channels, H x W, with K filters of R x S. With P and Q as the output's height and width, one
// computes and moves, at least, by these formulas:
//
//   P            floor((H + 2 padding - dilation (R - 1) - 1) / stride) + 1; Q from W and S
//   operations   2 N K P Q (C / groups) R S, those with the padding's zeros counted, too
//   bytes        ((N C H W + K (C / groups) R S) bits of an input + N K P Q bits of an output) / 8
//
//   intensity    operations / bytes
//
// Each element counts once, however often it is read.
#pragma once

#include <lkt/scan/gemm_spec.hpp>

namespace lkt {

/// Images as N C H W, filters as K C R S, the last index next to each other; or N H W C, K R S C.
enum class image_layout : unsigned char { nchw, nhwc };

[[nodiscard]] constexpr std::string_view to_string(image_layout layout) {
    return layout == image_layout::nchw ? "nchw" : "nhwc";
}
/// Errors (rejected): `lkt.scan.layout`.
[[nodiscard]] result<image_layout> image_layout_called(std::string_view name);

/// What a spec is made of, not checked. Stride, padding and dilation are those of both dimensions.
struct convolution_draft {
    std::int64_t n = 0, c = 0, h = 0, w = 0; ///< images, channels, height, width
    std::int64_t k = 0, r = 0, s = 0;        ///< filters, their height and width
    std::int64_t stride = 1, padding = 0, dilation = 1;
    std::int64_t groups = 1;         ///< each of C / groups channels and K / groups filters
    gemm_type type = gemm_type::f32; ///< of images and filters
    gemm_output output = {};
    image_layout layout = image_layout::nchw;
};

enum class convolution_fault : unsigned char { none, size, step, groups, window, large };

namespace detail::scan {

/// Of the output's height or width; 0 or less: the filter does not fit.
constexpr std::int64_t
places_of(std::int64_t extent, std::int64_t filter, convolution_draft const& d) {
    std::int64_t const room = extent + 2 * d.padding - d.dilation * (filter - 1) - 1;
    return room < 0 ? 0 : room / d.stride + 1;
}

constexpr convolution_fault fault_of(convolution_draft const& d) {
    for (std::int64_t const extent : {d.n, d.c, d.h, d.w, d.k, d.r, d.s})
        if (extent < 1 || extent > most_extent) return convolution_fault::size;
    for (std::int64_t const step : {d.stride, d.dilation})
        if (step < 1 || step > most_extent) return convolution_fault::step;
    if (d.padding < 0 || d.padding > most_extent) return convolution_fault::step;
    if (d.groups < 1 || d.c % d.groups != 0 || d.k % d.groups != 0)
        return convolution_fault::groups;
    std::int64_t const p = places_of(d.h, d.r, d), q = places_of(d.w, d.s, d);
    if (p < 1 || q < 1) return convolution_fault::window;
    auto const product = [](auto... factors) { return (1.0 * ... * static_cast<double>(factors)); };
    double const elements = product(d.n, d.c, d.h, d.w) + product(d.k, d.c / d.groups, d.r, d.s) +
                            product(d.n, d.k, p, q);
    return elements > most_elements ? convolution_fault::large : convolution_fault::none;
}

} // namespace detail::scan

/// A convolution that can be: there is no other way to make one than through these checks.
class convolution_spec {
public:
    using draft_type = convolution_draft;
    static constexpr auto operation = scan_operation::convolution;
    static constexpr spec_extent<convolution_draft> extents[] = {
        {"N", &convolution_draft::n},
        {"C", &convolution_draft::c},
        {"H", &convolution_draft::h},
        {"W", &convolution_draft::w},
        {"K", &convolution_draft::k},
        {"R", &convolution_draft::r},
        {"S", &convolution_draft::s},
        {"stride", &convolution_draft::stride, false},
        {"padding", &convolution_draft::padding, false, 0},
        {"dilation", &convolution_draft::dilation, false},
        {"groups", &convolution_draft::groups, false}};

    /// Errors (rejected): `lkt.scan.conv-size`, `-step`, `-groups`, `-window`, `-large`.
    [[nodiscard]] static result<convolution_spec> make(convolution_draft const& draft);

    /// The same for constants, whose faults do not compile.
    template <convolution_draft Draft>
    [[nodiscard]] static constexpr convolution_spec of() {
        constexpr convolution_fault fault = detail::scan::fault_of(Draft);
        static_assert(fault != convolution_fault::size,
                      "[lkt.scan.conv-size] N, C, H, W, K, R and S are at least 1, and at most "
                      "2147483647");
        static_assert(
            fault != convolution_fault::step,
            "[lkt.scan.conv-step] stride and dilation are at least 1, padding at least 0");
        static_assert(fault != convolution_fault::groups,
                      "[lkt.scan.conv-groups] the groups divide C and K");
        static_assert(fault != convolution_fault::window,
                      "[lkt.scan.conv-window] a filter fits into the padded image");
        static_assert(fault != convolution_fault::large,
                      "[lkt.scan.conv-large] the tensors have more than 1e15 elements");
        return convolution_spec(Draft);
    }

    [[nodiscard]] constexpr convolution_draft const& draft() const { return draft_; }
    [[nodiscard]] constexpr gemm_type type() const { return draft_.type; }
    [[nodiscard]] constexpr gemm_type output() const { return draft_.output.beside(type()); }
    /// Height and width of the output.
    [[nodiscard]] constexpr std::int64_t p() const {
        return detail::scan::places_of(draft_.h, draft_.r, draft_);
    }
    [[nodiscard]] constexpr std::int64_t q() const {
        return detail::scan::places_of(draft_.w, draft_.s, draft_);
    }
    /// The matrix product that each group is: M = N P Q, N = K / groups, K = (C / groups) R S.
    [[nodiscard]] constexpr gemm_shape as_gemm() const {
        auto const& d = draft_;
        return {d.n * p() * q(), d.k / d.groups, d.c / d.groups * d.r * d.s};
    }
    [[nodiscard]] constexpr double images() const {
        return 1.0 * static_cast<double>(draft_.n * draft_.c) *
               static_cast<double>(draft_.h * draft_.w);
    }
    [[nodiscard]] constexpr double filters() const {
        return static_cast<double>(draft_.k) * static_cast<double>(as_gemm().k);
    }
    [[nodiscard]] constexpr double outputs() const {
        return static_cast<double>(as_gemm().m) * static_cast<double>(draft_.k);
    }

    /// By the formulas above.
    [[nodiscard]] constexpr flop_count operations() const {
        return flop_count(2 * outputs() * static_cast<double>(as_gemm().k));
    }
    [[nodiscard]] constexpr byte_count bytes() const {
        return byte_count(
            ((images() + filters()) * bits_of(type()) + outputs() * bits_of(output())) / 8);
    }
    [[nodiscard]] constexpr flop_per_byte intensity() const { return operations() / bytes(); }

    [[nodiscard]] friend constexpr bool operator==(convolution_spec const& x,
                                                   convolution_spec const& y) {
        for (auto const& extent : extents)
            if (x.draft_.*extent.at != y.draft_.*extent.at) return false;
        return x.type() == y.type() && x.output() == y.output() &&
               x.draft_.layout == y.draft_.layout;
    }

private:
    explicit constexpr convolution_spec(convolution_draft const& draft) : draft_(draft) {}
    convolution_draft draft_;
};

/// `conv 32x64x56x56 128x3x3 f16 nchw`, N C H W and K R S, and after it what is not by default:
/// `stride=2`, `padding=1`, `dilation=2`, `groups=4`, `>f32`. Equal for equal specs, and for no
/// others.
[[nodiscard]] std::string to_string(convolution_spec const& spec);

} // namespace lkt
