// SPDX-License-Identifier: BSL-1.0
// Which matrix products are measured: all combinations of sizes, sizes that grow together, or a
// list. The products are made one by one; how many there are is known before.
#pragma once

#include <lkt/lang/expression/expression.hpp>
#include <lkt/scan/gemm_spec.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lkt {

/// The numbers that a text names, in its order, each once: `512`; `1,2,5`; `128..1024:+128`, steps
/// of 128 up to 1024 inclusive; `1..16384:x2`, each twice the one before; `1..8`, steps of 1; or
/// several of these with commas. Errors (rejected): `lkt.scan.range`, with what is wrong and where;
/// also for more than 100,000 numbers.
[[nodiscard]] result<std::vector<std::int64_t>> parse_range(std::string_view text);

/// Shapes of a file: three numbers M, N, K a line, separated by blanks or commas. `#` begins a
/// comment. A first line of names says which column is which: `batch,m,n,k`; other columns are not
/// read. Errors (rejected): `lkt.scan.shapes`, with the line.
[[nodiscard]] result<std::vector<gemm_shape>> parse_shapes(std::string_view text);

/// An extent of a scan: numbers, or an expression over those that are: `M`, `4*M`, `max(N, 64)`.
struct scan_axis {
    std::vector<std::int64_t> values;
    std::optional<expression> formula; ///< then there are no values

    /// Of a range or an expression. Errors: those of `parse_range` and `expression::parse`.
    [[nodiscard]] static result<scan_axis> parse(std::string_view text);
};

/// Shapes, times layouts, times types; each product once. What else a draft has is the same for
/// all.
class gemm_scan {
public:
    /// All combinations of those extents that are numbers; the others are computed from them.
    /// Errors (rejected): `lkt.scan.axes` (an expression knows a name that is none of M, N, K, or
    /// that is an expression itself, or there is no axis of numbers), `lkt.scan.empty`.
    [[nodiscard]] static result<gemm_scan> over(scan_axis m, scan_axis n, scan_axis k);
    /// A list. Shapes that occur again are dropped and counted. Errors: `lkt.scan.empty`.
    [[nodiscard]] static result<gemm_scan> of(std::vector<gemm_shape> shapes);

    /// Everything but m, n and k; `type`, `a`, `b` and `c` only where no list of them is given.
    gemm_draft rest;
    std::int64_t gap = 0; ///< elements behind each line of each matrix, where `rest` has no stride
    std::vector<gemm_type> types;                      ///< empty: that of `rest`
    std::vector<std::array<matrix_layout, 3>> layouts; ///< of A, B, C; empty: those of `rest`

    /// How many products there are. Lists of types or layouts should hold each once.
    [[nodiscard]] std::size_t size() const {
        return shapes() * std::max<std::size_t>(types.size(), 1) *
               std::max<std::size_t>(layouts.size(), 1);
    }
    /// Shapes of a list that occurred before.
    [[nodiscard]] std::size_t dropped() const { return dropped_; }
    /// One of `size()`. The last extent changes fastest, then layouts, then types. Errors: those of
    /// `gemm_spec::make`, and of expressions.
    [[nodiscard]] result<gemm_spec> at(std::size_t index) const;

private:
    [[nodiscard]] std::size_t shapes() const;
    [[nodiscard]] result<gemm_shape> shape_at(std::size_t index) const;

    std::array<scan_axis, 3> axes_; // of a scan over axes
    std::vector<gemm_shape> list_;  // of others
    std::size_t dropped_ = 0;
};

/// `row,column,row` or `rcr`. Errors (rejected): `lkt.scan.layout`.
[[nodiscard]] result<std::array<matrix_layout, 3>> parse_layouts(std::string_view text);

} // namespace lkt
