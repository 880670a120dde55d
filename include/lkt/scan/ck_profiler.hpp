// SPDX-License-Identifier: BSL-1.0
// Composable Kernel's ckProfiler as an engine: one call of its operation `gemm` a product.
#pragma once

#include <lkt/scan/ck_output.hpp>
#include <lkt/scan/scan_engine.hpp>

#include <string>
#include <vector>

namespace lkt {

/// How ckProfiler is started.
struct ck_profiler_options {
    std::string program = "ckProfiler"; ///< looked up on PATH
    scan_settings settings{};           ///< warm-ups, iterations, verification
    /// `NAME=value`, beside PATH and the like: HIP_VISIBLE_DEVICES chooses the GPU.
    std::vector<std::string> environment{};
    std::string device{}; ///< for the table: ckProfiler does not name it
};

/// Runs a stock ckProfiler in a child process with a time limit, with random inputs and, unless
/// `settings.verify` is off, with its comparison against a CPU's product. Its parts: f32, f16,
/// bf16, int8 and fp8; C row-major, of the inputs' type; alpha 1, beta 0, one matrix.
class ck_profiler {
public:
    explicit ck_profiler(ck_profiler_options options = {}) : options_(std::move(options)) {}

    [[nodiscard]] std::string_view name() const { return "ckprofiler"; }
    [[nodiscard]] std::string refuses(scan_spec const& spec) const;
    /// The device is `options.device`: ckProfiler does not name it.
    [[nodiscard]] result<scan_setup> setup(call_context const& context = {}) const;
    /// The command line, the program first. Needs a product that it does not refuse.
    [[nodiscard]] std::vector<std::string> arguments(gemm_spec const& spec) const;
    /// Errors: `lkt.scan.refused` (rejected), `lkt.scan.ck-missing` (unavailable), and of this
    /// product `lkt.scan.ck-time-limit`, `lkt.scan.ck-failed`. A failed comparison is no error.
    [[nodiscard]] result<scanned_product> measure(scan_spec const& spec,
                                                  call_context const& context = {});

private:
    ck_profiler_options options_;
};
static_assert(scan_engine<ck_profiler>);

} // namespace lkt
