// SPDX-License-Identifier: BSL-1.0
// Where the elements of a product's matrices lie, and the random numbers that fill them.
#pragma once

#include <lkt/scan/gemm_spec.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lkt::detail::scan {

/// Where the elements of the matrices of a batch lie in memory.
struct matrix_place {
    std::int64_t rows = 0, columns = 0, stride = 0, batch = 1;
    matrix_layout layout = matrix_layout::row;

    /// Rows of a row-major matrix, columns of another, and elements of each.
    [[nodiscard]] std::int64_t lines() const {
        return layout == matrix_layout::row ? rows : columns;
    }
    [[nodiscard]] std::int64_t length() const {
        return layout == matrix_layout::row ? columns : rows;
    }
    [[nodiscard]] std::int64_t of_matrix() const { return lines() * stride; }
    /// All, gaps included.
    [[nodiscard]] std::size_t elements() const {
        return static_cast<std::size_t>(of_matrix() * batch);
    }
    [[nodiscard]] std::size_t at(std::int64_t matrix, std::int64_t row, std::int64_t column) const {
        return static_cast<std::size_t>(matrix * of_matrix() + (layout == matrix_layout::row
                                                                    ? row * stride + column
                                                                    : column * stride + row));
    }
};
[[nodiscard]] matrix_place place_a(gemm_spec const& s);
[[nodiscard]] matrix_place place_b(gemm_spec const& s);
[[nodiscard]] matrix_place place_c(gemm_spec const& s);

/// Random numbers that a matrix of a type is filled with, again and again: as many as a prime that
/// no stride divides. They are spread evenly over -1 to 1, or over the integers from -5 to 5.
class gemm_values {
public:
    /// Not of int4.
    gemm_values(gemm_type type, std::uint64_t seed);
    static constexpr std::size_t period = 131'071;

    [[nodiscard]] std::string const& bytes() const { return bytes_; }
    [[nodiscard]] std::vector<double> const& values() const { return values_; }
    /// Of the squares.
    [[nodiscard]] double mean_square() const { return mean_square_; }
    /// What a buffer of `size` bytes holds that is filled with them.
    [[nodiscard]] std::string filled(std::size_t size) const;

private:
    std::string bytes_;
    std::vector<double> values_;
    double mean_square_ = 0;
};

/// The element at an index of a buffer.
[[nodiscard]] double element_of(gemm_type type, std::byte const* data, std::size_t index);

} // namespace lkt::detail::scan
