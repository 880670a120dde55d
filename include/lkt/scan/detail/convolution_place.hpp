// SPDX-License-Identifier: BSL-1.0
// A convolution as matrix products, one a group: rows are places of the output, (n, p, q) in order;
// columns are the group's filters; what is summed is in the order in which filters lie in memory.
#pragma once

#include <lkt/scan/convolution_spec.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lkt::detail::scan {

/// Whether the products are small enough to be counted as matrix products are.
[[nodiscard]] constexpr bool comparable(convolution_spec const& s) {
    auto const shape = s.as_gemm();
    return fault_of(
               gemm_draft{.m = shape.m, .n = shape.n, .k = shape.k, .batch = s.draft().groups}) ==
           gemm_fault::none;
}

/// Where elements of images and outputs lie in memory.
struct convolution_place {
    convolution_spec spec;

    /// Calls `f` with the place in the sum and the index in the images' memory, for each input of
    /// an element that is no padding.
    template <class F>
    void each_input(std::int64_t group, std::int64_t row, F const& f) const {
        auto const& d = spec.draft();
        bool const first = d.layout == image_layout::nchw;
        std::int64_t const channels = d.c / d.groups, base = group * channels;
        std::int64_t const q = row % spec.q(), p = row / spec.q() % spec.p(),
                           n = row / (spec.q() * spec.p());
        for (std::int64_t r = 0; r < d.r; ++r) {
            std::int64_t const y = p * d.stride - d.padding + r * d.dilation;
            if (y < 0 || y >= d.h) continue;
            for (std::int64_t s = 0; s < d.s; ++s) {
                std::int64_t const x = q * d.stride - d.padding + s * d.dilation;
                if (x < 0 || x >= d.w) continue;
                for (std::int64_t c = 0; c < channels; ++c)
                    f(first ? (c * d.r + r) * d.s + s : (r * d.s + s) * channels + c,
                      static_cast<std::size_t>(first ? ((n * d.c + base + c) * d.h + y) * d.w + x
                                                     : ((n * d.h + y) * d.w + x) * d.c + base + c));
            }
        }
    }
    /// The index of an element in the output's memory.
    [[nodiscard]] std::size_t
    output_at(std::int64_t group, std::int64_t row, std::int64_t column) const;
    /// `(n, k, p, q)`.
    [[nodiscard]] std::string
    where(std::int64_t group, std::int64_t row, std::int64_t column) const;
    /// Outputs of `size` bytes each, as row-major matrices, a group after the other.
    [[nodiscard]] std::vector<std::byte> as_matrices(std::span<std::byte const> d,
                                                     std::size_t size) const;
};

} // namespace lkt::detail::scan
