// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/string_tools.hpp>
#include <lkt/scan/convolution_spec.hpp>

namespace lkt {

result<image_layout> image_layout_called(std::string_view name) {
    for (auto const layout : {image_layout::nchw, image_layout::nhwc})
        if (to_string(layout) == name) return layout;
    return error{condition::rejected,
                 "lkt.scan.layout",
                 in_backticks(name) + " is no layout of images",
                 "write nchw or nhwc"};
}

namespace detail::scan {

/// On one line: `32x64x56x56 128x3x3`.
inline std::string numbers(convolution_draft const& d) {
    std::string text;
    for (std::int64_t const n : {d.n, d.c, d.h, d.w}) text += std::to_string(n) + 'x';
    text.back() = ' ';
    for (std::int64_t const n : {d.k, d.r, d.s}) text += std::to_string(n) + 'x';
    text.pop_back();
    return text;
}

/// ` stride=2`, and what else is not by default.
inline std::string steps(convolution_draft const& d) {
    std::string text;
    for (auto const& extent : convolution_spec::extents)
        if (!extent.needed && d.*extent.at != convolution_draft{}.*extent.at)
            text += ' ' + std::string(extent.name) + '=' + std::to_string(d.*extent.at);
    return text;
}

} // namespace detail::scan

result<convolution_spec> convolution_spec::make(convolution_draft const& draft) {
    auto const reject = [&](std::string code, std::string why) {
        return error{condition::rejected,
                     "lkt.scan.conv-" + std::move(code),
                     "the convolution " + detail::scan::numbers(draft) +
                         detail::scan::steps(draft) + " cannot be: " + why,
                     {}};
    };
    switch (detail::scan::fault_of(draft)) {
    case convolution_fault::none:
        return convolution_spec(draft);
    case convolution_fault::size:
        return reject("size", "N, C, H, W, K, R and S are at least 1, and at most 2147483647");
    case convolution_fault::step:
        return reject(
            "step",
            "stride and dilation are at least 1, padding is at least 0, and none is above "
            "2147483647");
    case convolution_fault::groups:
        return reject("groups", "the groups have to divide C and K");
    case convolution_fault::window:
        return reject("window", "a filter does not fit into the padded image");
    case convolution_fault::large:
        return reject("large", "the tensors have more than 1e15 elements");
    }
    return convolution_spec(draft);
}

std::string to_string(convolution_spec const& s) {
    return "conv " + detail::scan::numbers(s.draft()) + ' ' + std::string(to_string(s.type())) +
           ' ' + std::string(to_string(s.draft().layout)) + detail::scan::steps(s.draft()) +
           (s.output() != s.type() ? " >" + std::string(to_string(s.output())) : std::string());
}

} // namespace lkt
