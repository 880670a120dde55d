// SPDX-License-Identifier: BSL-1.0
// What the command line asks to have measured.
#pragma once

#include "options.hpp"

namespace lkt_scan {

/// Errors: usage; a file of shapes that cannot be read.
[[nodiscard]] lkt::result<lkt::spec_scan> make_scan(options const& o);

/// For `--dry-run`: what each product computes and moves. Errors: of a product that cannot be.
[[nodiscard]] lkt::result<std::string> preview(options const& o, lkt::spec_scan const& scan);

} // namespace lkt_scan
