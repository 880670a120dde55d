// SPDX-License-Identifier: BSL-1.0
// NVIDIA's cuBLASLt as an engine: every algorithm that its heuristics name for a product.
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/process/worker_options.hpp>
#include <lkt/scan/scan_engine.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace lkt {

/// How cuBLASLt is found, and how it measures.
struct cublaslt_options {
    std::string library{};    ///< the file of cuBLASLt; empty: searched for
    std::string device{};     ///< an index as nvidia-smi counts them; empty: the first
    scan_settings settings{}; ///< warm-ups, iterations, verification, time limit
    bytes workspace{std::uint64_t{32} << 20}; ///< that an algorithm may use
    /// An instance is timed for as long as this at most, with fewer launches if need be, and for a
    /// tenth where it is far behind the best before it.
    seconds instance_limit{0.25};
    std::uint64_t seed = 1; ///< of the matrices
};

/// Measures in a worker process, which a crash or a time limit costs; the next product starts
/// another. Matrices are random. Where `settings.verify` is on, the result of each algorithm is
/// compared with products in double precision on the CPU (docs/lkt-scan.md). Times are those of
/// groups of launches between two events: of ten groups, the median, the extremes and the standard
/// deviation. The fastest instance is measured a second time at the end. What it can do: types of
/// outputs, layouts, gaps and epilogues as cuBLASLt's heuristics accept them; not int4.
///
/// A program that uses it begins its main with `worker_main`, and includes
/// `lkt/scan/cublaslt/product_service.hpp`.
class cublaslt_engine {
public:
    explicit cublaslt_engine(cublaslt_options options = {}, worker_options worker = {});
    cublaslt_engine(cublaslt_engine&&) noexcept;
    cublaslt_engine& operator=(cublaslt_engine&&) noexcept;
    ~cublaslt_engine();

    [[nodiscard]] std::string_view name() const { return "cublaslt"; }
    [[nodiscard]] std::string refuses(scan_spec const& spec) const;
    /// Opens the device; the settings name cuBLASLt's version. Errors: the unavailable ones of
    /// `measure`.
    [[nodiscard]] result<scan_setup> setup(call_context const& context = {});
    /// Errors: `lkt.scan.refused` (rejected); unavailable: `lkt.scan.cublaslt` (no such library),
    /// `lkt.cuda.*` (no driver or device), `lkt.worker.*`; of this product: `lkt.scan.memory`,
    /// `lkt.scan.cublaslt-failed`, `lkt.scan.time-limit`.
    [[nodiscard]] result<scanned_product> measure(scan_spec const& spec,
                                                  call_context const& context = {});

private:
    struct state;
    std::unique_ptr<state> state_;
};
static_assert(scan_engine<cublaslt_engine>);

} // namespace lkt
