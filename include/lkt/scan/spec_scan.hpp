// SPDX-License-Identifier: BSL-1.0
// Which products are measured: all combinations of sizes, sizes that grow together, or a list. The
// specs are made one by one; how many there are is known before.
#pragma once

#include <lkt/scan/scan_axis.hpp>
#include <lkt/scan/scan_spec.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// The axis of an extent, by the extent's name: `{"M", ...}`. Case does not count.
struct named_axis {
    std::string name;
    scan_axis axis;
};

/// `M=1..4096:x2`, of an extent of the draft's operation. Errors (rejected): `lkt.scan.axes`, and
/// those of `scan_axis::parse`.
[[nodiscard]] result<named_axis> parse_axis(std::string_view text, scan_draft const& draft);

/// Sizes, a row each.
struct scan_shapes {
    std::vector<std::string> names;              ///< of extents, in the order of the numbers
    std::vector<std::vector<std::int64_t>> rows; ///< each with a number for each name
};

/// Shapes of a file: on each line the extents that the operation of `draft` needs, in their order,
/// separated by blanks or commas: M, N, K. `#` begins a comment. A first line of names says which
/// column is which: `batch,m,n,k`; columns of other names are not read. Errors (rejected):
/// `lkt.scan.shapes`, with the line.
[[nodiscard]] result<scan_shapes> parse_shapes(std::string_view text,
                                               scan_draft const& draft = gemm_draft{});

/// Sizes, times drafts, which say all the rest; each spec once. Drafts are of one operation.
class spec_scan {
public:
    /// All combinations of those extents that are numbers; the others are computed from them.
    /// Errors (rejected): `lkt.scan.axes` (an expression knows a name that is none of the extents,
    /// or that is an expression itself, or there is no axis of numbers, or an extent has no axis),
    /// `lkt.scan.empty`.
    [[nodiscard]] static result<spec_scan> over(std::vector<named_axis> axes,
                                                std::vector<scan_draft> drafts);
    /// A list. Shapes that occur again are dropped and counted. Errors: as of `over`.
    [[nodiscard]] static result<spec_scan> of(scan_shapes shapes, std::vector<scan_draft> drafts);

    /// How many specs there are.
    [[nodiscard]] std::size_t size() const { return shapes() * drafts_.size(); }
    /// Shapes of a list that occurred before.
    [[nodiscard]] std::size_t dropped() const { return dropped_; }
    /// One of `size()`. The last extent changes fastest, then drafts. Errors: those of
    /// `scan_spec::make`, and of expressions.
    [[nodiscard]] result<scan_spec> at(std::size_t index) const;

private:
    [[nodiscard]] static result<spec_scan> with(std::vector<std::string> const& names,
                                                std::vector<scan_draft> drafts);
    [[nodiscard]] std::size_t shapes() const;
    /// Sets the extents of a draft.
    [[nodiscard]] result<void> set_shape(scan_draft& draft, std::size_t index) const;

    std::vector<scan_draft> drafts_;
    std::vector<std::size_t> places_;             // of the columns or axes among the extents
    std::vector<scan_axis> axes_;                 // of a scan over axes
    std::vector<std::vector<std::int64_t>> list_; // of others
    std::size_t dropped_ = 0;
};

/// `row,column,row` or `rcr`. Errors (rejected): `lkt.scan.layout`.
[[nodiscard]] result<std::array<matrix_layout, 3>> parse_layouts(std::string_view text);

} // namespace lkt
