// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/scan/detail/check_parts.hpp>
#include <lkt/scan/detail/convolution_place.hpp>

#include <cstring>

namespace lkt::detail::scan {

std::size_t
convolution_place::output_at(std::int64_t group, std::int64_t row, std::int64_t column) const {
    auto const& d = spec.draft();
    std::int64_t const k = group * (d.k / d.groups) + column;
    if (d.layout == image_layout::nhwc) return static_cast<std::size_t>(row * d.k + k);
    std::int64_t const places = spec.p() * spec.q();
    return static_cast<std::size_t>((row / places * d.k + k) * places + row % places);
}

std::string
convolution_place::where(std::int64_t group, std::int64_t row, std::int64_t column) const {
    std::int64_t const k = group * (spec.draft().k / spec.draft().groups) + column;
    return "(" + std::to_string(row / (spec.q() * spec.p())) + ", " + std::to_string(k) + ", " +
           std::to_string(row / spec.q() % spec.p()) + ", " + std::to_string(row % spec.q()) + ")";
}

std::vector<std::byte> convolution_place::as_matrices(std::span<std::byte const> d,
                                                      std::size_t size) const {
    auto const shape = spec.as_gemm();
    std::vector<std::byte> matrices(d.size());
    for (std::int64_t group = 0; group < spec.draft().groups; ++group)
        check_parts::in_pieces(shape.m, spec.outputs(), [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t row = first; row < last; ++row)
                for (std::int64_t column = 0; column < shape.n; ++column) {
                    auto const to = (group * shape.m + row) * shape.n + column;
                    std::memcpy(matrices.data() + static_cast<std::size_t>(to) * size,
                                d.data() + output_at(group, row, column) * size,
                                size);
                }
        });
    return matrices;
}

} // namespace lkt::detail::scan
