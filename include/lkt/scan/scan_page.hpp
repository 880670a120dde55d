// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/scan/scan_table.hpp>

#include <optional>
#include <string>

namespace lkt {

/// One page of HTML, complete in itself: no script, nothing from the network; light or dark as the
/// reader's system is. For each operation and data type a roofline (both axes logarithmic; the roof
/// is a line through its ridge point, each best instance a dot), a heat map over two extents (M and
/// N; C and K; inputs and elements), and bars of what each product reaches. Text of the table is
/// escaped. Without an accelerator there is no roof.
[[nodiscard]] std::string scan_page(scan_table const& table,
                                    std::optional<accelerator> const& device = {});

} // namespace lkt
