// SPDX-License-Identifier: BSL-1.0
// What Composable Kernel's ckProfiler writes for `gemm`: its console lines, and the lines of JSON
// of a fork. A text may hold many calls, and both forms.
#pragma once

#include <lkt/scan/scan_engine.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// A line that is not as ckProfiler writes it: cut off, mixed with another, or unknown. Lines count
/// from 1.
struct ck_fault {
    std::size_t line = 0;
    std::string what;
    friend bool operator==(ck_fault const&, ck_fault const&) = default;
};

/// What was read of one call: of one product. Where the output does not name sizes, type or
/// layouts, they are absent.
struct ck_product {
    std::size_t line = 0; ///< where it begins
    std::optional<gemm_shape> shape;
    std::optional<gemm_type> type;
    std::optional<std::array<matrix_layout, 3>> layouts; ///< C's is row, where nothing else is said
    std::array<std::int64_t, 3> strides{};               ///< 0: not said
    std::string date;                                    ///< as written, of the last line

    scanned_product found;                 ///< the instances, without a second entry for a rerun
    std::size_t instances_there = 0;       ///< how many ckProfiler says that there are; 0: not said
    std::optional<std::size_t> named_best; ///< of `found.instances`
    bool complete = false;                 ///< the line of the best is there
    bool verified_wrong = false;           ///< a comparison failed, of whichever instance

    /// Errors (rejected): `lkt.scan.ck-product`, where sizes or type are not known, or no product.
    [[nodiscard]] result<gemm_spec> spec() const;
};

struct ck_output {
    std::vector<ck_product> products;
    std::vector<ck_fault> faults;
    std::size_t lines = 0;      ///< of the text, empty ones included
    std::size_t understood = 0; ///< of these; each other one is a fault
};

/// Reads all of a text; every line is understood or a fault. A verification failure follows the
/// line of its instance where standard output and standard error were written to one file.
[[nodiscard]] ck_output parse_ck_output(std::string_view text);

} // namespace lkt
