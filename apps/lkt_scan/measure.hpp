// SPDX-License-Identifier: BSL-1.0
// The engines of the command line, at work.
#pragma once

#include "options.hpp"
#include "results.hpp"

#include <lkt/gpu/any_gpu_backend.hpp>

#include <memory>

namespace lkt_scan {

/// The user's kernel (`--engine kernel`). The back end is empty until something is measured.
struct own_kernel {
    lkt::language language = lkt::language::cuda;
    lkt::any_gpu_backend gpu{};
    std::optional<lkt::kernel_engine> engine{};
};

/// Reads it. Errors: its files; what it computes is not the operation.
[[nodiscard]] lkt::result<std::unique_ptr<own_kernel>> make_kernel(options const& o);

/// Measures what the log has not yet, and writes the tables. `own` may be null with other engines.
/// Returns the program's status.
[[nodiscard]] lkt::result<int>
measure(options const& o, lkt::spec_scan const& scan, own_kernel* own, result_log& log);

} // namespace lkt_scan
